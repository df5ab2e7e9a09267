//! A policy: its rules and settings.

use std::ffi::OsStr;
use std::path::Path;

use crate::{
    Access, Context, Decider, Decision, Environment, Lifetime, Limits, Network, Pattern,
    PolicyBuilder, PolicyError, Rule, RuleKind, Source, Terminal, Tmp, conflict,
};

/// What a confined program may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    rules: Vec<Rule>,
    environment: Environment,
    network: Network,
    tmp: Tmp,
    limits: Limits,
    lifetime: Lifetime,
    terminal: Terminal,
}

impl Policy {
    /// A policy that grants nothing: the start of a [`PolicyBuilder`].
    pub fn builder(ctx: &Context) -> PolicyBuilder {
        PolicyBuilder::new(ctx)
    }

    /// The rules. Their order means nothing.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Adds a rule as its author wrote it: variables, globs, relative to `base`. It overrides what a preset (or, for a
    /// flag, a file) refuses at exactly the same path.
    ///
    /// # Errors
    /// The text is no usable path or glob, or the same author said the opposite of exactly this path.
    pub fn add_rule(
        &mut self,
        kind: RuleKind,
        text: impl AsRef<OsStr>,
        base: &Path,
        source: Source,
        ctx: &Context,
    ) -> Result<(), PolicyError> {
        let text = text.as_ref();
        let pattern = Pattern::parse(text, base, ctx)?;
        self.add(Rule::new(kind, pattern, text.to_string_lossy(), source))
    }

    /// Adds a finished rule, for instance the resolved spelling of one whose path is a symlink
    /// ([`Rule::with_pattern`]). Nothing is overridden and contradictions are no error: the deny wins.
    #[must_use]
    pub fn with_path_rule(mut self, rule: Rule) -> Self {
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
        self
    }

    /// Adds a rule; see [`Policy::add_rule`].
    pub(crate) fn add(&mut self, rule: Rule) -> Result<(), PolicyError> {
        conflict::add(&mut self.rules, rule)
    }

    /// Decides one access. For many decisions, prepare a [`Policy::decider`].
    #[must_use]
    pub fn decide(&self, access: Access, path: impl AsRef<Path>) -> Decision<'_> {
        let path = path.as_ref();
        // By index, since the decider's own copy of the rules ends here.
        let verdict = self.decider().verdict(access, path);
        verdict.decision(&self.rules, path)
    }

    /// The rules, prepared for many decisions.
    #[must_use]
    pub fn decider(&self) -> Decider {
        Decider::new(self)
    }

    /// Which environment variables the run gets.
    #[must_use]
    pub const fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The same, to change.
    pub const fn environment_mut(&mut self) -> &mut Environment {
        &mut self.environment
    }

    /// Which network the run has.
    #[must_use]
    pub const fn network(&self) -> Network {
        self.network
    }

    /// Chooses the network.
    pub const fn set_network(&mut self, network: Network) {
        self.network = network;
    }

    /// Which `/tmp` the run has.
    #[must_use]
    pub const fn tmp(&self) -> Tmp {
        self.tmp
    }

    /// Chooses the `/tmp`.
    pub const fn set_tmp(&mut self, tmp: Tmp) {
        self.tmp = tmp;
    }

    /// The bounds of the run.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets the bounds of the run.
    pub const fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// What happens to descendants that outlive the command.
    #[must_use]
    pub const fn lifetime(&self) -> Lifetime {
        self.lifetime
    }

    /// Chooses the lifetime.
    pub const fn set_lifetime(&mut self, lifetime: Lifetime) {
        self.lifetime = lifetime;
    }

    /// Whether the run may use the caller's terminal.
    #[must_use]
    pub const fn terminal(&self) -> Terminal {
        self.terminal
    }

    /// Chooses the terminal.
    pub const fn set_terminal(&mut self, terminal: Terminal) {
        self.terminal = terminal;
    }
}
