//! The command line as it is typed. Help texts, completions and the man pages come from here.

mod rules;
mod run;
mod usage;
mod value;

pub(crate) use rules::PolicyOptions;
pub(crate) use run::{Colour, RunOptions};
pub(crate) use value::{EnvironmentChange, Sink};

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Runs a command in a sandbox and tells what was refused, and why.
#[derive(Debug, Parser)]
#[command(
    name = "whybox",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    action: Action,
}

impl Cli {
    /// What to do.
    pub(crate) fn into_action(self) -> Action {
        self.action
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    Run(Box<RunOptions>),
    /// Look at policies
    Policy {
        #[command(subcommand)]
        action: PolicyAction,
    },
    /// Look at records
    Record {
        #[command(subcommand)]
        action: RecordAction,
    },
    /// Try on this host what a run needs; exit status 1 if a run would not work
    Doctor,
    /// Print the completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a man page, in the format of man(7)
    Man {
        /// The page of this command instead of the one of whybox, such as `run`
        page: Option<String>,
    },
    /// What `doctor` runs in a cage
    #[command(hide = true, name = "doctor-probe")]
    Probe {
        /// A file that must not be readable
        hidden: PathBuf,
    },
}

/// What to do with a policy.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyAction {
    /// Print the JSON Schema of policy files
    Schema,
    /// Print the policy that a run with these options would have, as a policy file in TOML
    Show(Box<PolicyOptions>),
    /// Check a policy file; exit status 2 if it is wrong
    Check {
        /// The file: JSON if its name ends in .json, else TOML
        file: PathBuf,
    },
}

/// What to do with a record.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordAction {
    /// Print the JSON Schema of reports
    Schema,
}

/// Parses the arguments of this process.
///
/// # Errors
/// The exit status, where nothing is left to do: help was shown (0), or the usage is bad (2).
pub(crate) fn parse() -> Result<Action, u8> {
    Cli::try_parse()
        .map(Cli::into_action)
        .map_err(|error| usage::explain(&error))
}
