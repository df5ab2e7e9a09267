//! Building a policy in Rust.

use std::ffi::OsStr;

use crate::{
    Context, Environment, Lifetime, Limits, Network, Policy, PolicyError, RuleKind, Source,
    Terminal, Tmp,
};

/// Builds a [`Policy`]. Paths are read as in a policy file (variables, globs), relative to the context's working
/// directory; mistakes are reported by [`PolicyBuilder::build`].
///
/// ```
/// use whybox_policy::{Context, Network, Policy};
/// let ctx = Context::new("/srv/app");
/// let policy = Policy::builder(&ctx).exec("/usr").write("data").hide("**/*.key").network(Network::All).build()?;
/// assert_eq!(policy.rules().len(), 3);
/// # Ok::<(), whybox_policy::PolicyError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct PolicyBuilder {
    ctx: Context,
    policy: Policy,
    error: Option<PolicyError>,
}

impl PolicyBuilder {
    pub(crate) fn new(ctx: &Context) -> Self {
        PolicyBuilder {
            ctx: ctx.clone(),
            policy: Policy::default(),
            error: None,
        }
    }

    fn rule(mut self, kind: RuleKind, path: &OsStr) -> Self {
        if self.error.is_none() {
            self.error = self
                .policy
                .add_rule(kind, path, self.ctx.cwd(), Source::Api, &self.ctx)
                .err();
        }
        self
    }

    /// Grants reading.
    pub fn read(self, path: impl AsRef<OsStr>) -> Self {
        self.rule(RuleKind::Read, path.as_ref())
    }

    /// Grants writing, and reading with it.
    pub fn write(self, path: impl AsRef<OsStr>) -> Self {
        self.rule(RuleKind::Write, path.as_ref())
    }

    /// Grants executing, and reading with it.
    pub fn exec(self, path: impl AsRef<OsStr>) -> Self {
        self.rule(RuleKind::Exec, path.as_ref())
    }

    /// Refuses every access.
    pub fn hide(self, path: impl AsRef<OsStr>) -> Self {
        self.rule(RuleKind::Hide, path.as_ref())
    }

    /// Refuses writing.
    pub fn protect(self, path: impl AsRef<OsStr>) -> Self {
        self.rule(RuleKind::Protect, path.as_ref())
    }

    /// Answers as if nothing were there.
    pub fn absent(self, path: impl AsRef<OsStr>) -> Self {
        self.rule(RuleKind::Absent, path.as_ref())
    }

    /// Chooses the environment.
    pub fn environment(mut self, environment: Environment) -> Self {
        *self.policy.environment_mut() = environment;
        self
    }

    /// Chooses the network.
    pub fn network(mut self, network: Network) -> Self {
        self.policy.set_network(network);
        self
    }

    /// Chooses the `/tmp`.
    pub fn tmp(mut self, tmp: Tmp) -> Self {
        self.policy.set_tmp(tmp);
        self
    }

    /// Sets the bounds of the run.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.policy.set_limits(limits);
        self
    }

    /// Chooses the lifetime.
    pub fn lifetime(mut self, lifetime: Lifetime) -> Self {
        self.policy.set_lifetime(lifetime);
        self
    }

    /// Chooses the terminal.
    pub fn terminal(mut self, terminal: Terminal) -> Self {
        self.policy.set_terminal(terminal);
        self
    }

    /// The policy.
    ///
    /// # Errors
    /// The first mistake in any of the paths.
    pub fn build(self) -> Result<Policy, PolicyError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.policy),
        }
    }
}
