//! The options of `whybox run`.

use std::ffi::OsString;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};

use super::rules::PolicyOptions;
use super::value::{self, Sink};

/// Run a command in a sandbox
///
/// Options end at the first word that is none, so that the command keeps its own. Input, output and exit status of the
/// command pass through. What was refused is told on standard error after it.
#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct RunOptions {
    /// End everything after this time; seconds, or such as 1m 30s
    #[arg(long, value_name = "DURATION", value_parser = value::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Write the whole record as JSON at the end, whatever the end is; fd:N is an open descriptor
    #[arg(long, value_name = "FILE|fd:N", value_hint = ValueHint::FilePath, value_parser = value::sink())]
    pub(crate) report: Option<Sink>,
    /// Write each entry of the record as a line of JSON as it comes
    #[arg(long, value_name = "FILE|fd:N", value_hint = ValueHint::FilePath, value_parser = value::sink())]
    pub(crate) events: Option<Sink>,
    /// Do not tell on standard error what was refused
    #[arg(long)]
    pub(crate) no_summary: bool,
    /// Exit with 123 when the command succeeded but something was refused
    #[arg(long)]
    pub(crate) fail_on_denial: bool,
    /// Run although the host cannot give this part of the confinement
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(whybox::GAPS.iter().map(|(name, _)| *name)))]
    pub(crate) accept_gap: Vec<String>,
    /// Also record what every program tries and gets along without
    #[arg(long)]
    pub(crate) no_quiet: bool,
    /// Print the steps of the start instead of running the command
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Colour what whybox itself prints
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Colour,
    #[command(flatten)]
    pub(crate) policy: PolicyOptions,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

const AFTER: &str = "\
Exit status:
  the command's, or 128 and the number of the signal that ended it
    2  the usage or the policy is wrong
  123  --fail-on-denial: the command succeeded, but something was refused
  124  --timeout: the time was up
  125  something went wrong before the start; the command never ran
  126  the command cannot be executed
  127  the command does not exist";
