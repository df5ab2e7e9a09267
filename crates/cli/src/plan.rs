//! What a run is to do: the arguments, validated.

use std::ffi::OsString;
use std::time::Duration;

use whybox::policy::{Environment, RuleKind, Source};
use whybox::{CageOptions, Command, Context, Policy};

use crate::args::{Colour, EnvironmentChange, PolicyOptions, RunOptions};
use crate::failure::Failure;

/// The preset where neither one nor a file is named.
const DEFAULT_PRESET: &str = "agent";

/// What a run is to do.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) policy: Policy,
    pub(crate) options: CageOptions,
    pub(crate) words: Vec<OsString>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) summary: bool,
    pub(crate) fail_on_denial: bool,
    pub(crate) colour: Colour,
}

impl Plan {
    /// Validates the arguments; a policy file is read, nothing else is done.
    pub(crate) fn new(run: &RunOptions, ctx: &Context) -> Result<Plan, Failure> {
        let mut options = CageOptions::default().with_violations();
        for gap in &run.accept_gap {
            options = options.accept_gap(gap)?;
        }
        if run.no_quiet {
            options = options.without_quiet_list();
        }
        Ok(Plan {
            policy: policy(&run.policy, ctx)?,
            options,
            words: run.command.clone(),
            timeout: run.timeout,
            summary: !run.no_summary,
            fail_on_denial: run.fail_on_denial,
            colour: run.color,
        })
    }

    /// The command, with the streams of whybox.
    pub(crate) fn command(&self) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or_else(Default::default, OsString::clone));
        command.args(words);
        command
    }
}

/// The policy that the options make: that of the file or preset, with the other options on top.
pub(crate) fn policy(options: &PolicyOptions, ctx: &Context) -> Result<Policy, Failure> {
    let mut policy = match &options.policy {
        Some(file) => Policy::from_file_in(file, ctx)?,
        None => Policy::preset(options.preset.as_deref().unwrap_or(DEFAULT_PRESET), ctx)?,
    };
    let rules = [
        (RuleKind::Read, &options.read),
        (RuleKind::Write, &options.write),
        (RuleKind::Exec, &options.exec),
        (RuleKind::Hide, &options.hide),
        (RuleKind::Protect, &options.protect),
    ];
    for (kind, paths) in rules {
        for path in paths {
            let named = |error| Failure::usage(format!("--{kind} {path:?}: {error}"));
            policy
                .add_rule(kind, path, ctx.cwd(), Source::Flag, ctx)
                .map_err(named)?;
        }
    }
    if options.clear_env {
        *policy.environment_mut() = Environment::empty();
    }
    for change in &options.env {
        let environment = policy.environment_mut();
        match change {
            EnvironmentChange::Pass(name) => environment.allow(name),
            EnvironmentChange::Set(name, value) => environment.set(name, value),
        }
        .map_err(|error| Failure::usage(format!("--env: {error}")))?;
    }
    if let Some(network) = options.net {
        policy.set_network(network);
    }
    if let Some(tmp) = options.tmp {
        policy.set_tmp(tmp);
    }
    Ok(policy)
}

#[cfg(test)]
mod tests;
