//! The options that make a policy.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use whybox::Policy;
use whybox::policy::{Network, Tmp};

use super::value::{self, EnvironmentChange};

/// The options that make a policy.
///
/// Paths are relative to the working directory, and may start with `~`, `$HOME` or `$XDG_...`, and have globs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Policy")]
pub(crate) struct PolicyOptions {
    /// Grant reading PATH and what lies beneath it
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) read: Vec<OsString>,
    /// Grant reading and writing PATH and what lies beneath it
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) write: Vec<OsString>,
    /// Grant reading and executing PATH and what lies beneath it
    #[arg(short = 'x', long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) exec: Vec<OsString>,
    /// Refuse every access to PATH, also within what is granted
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) hide: Vec<OsString>,
    /// Refuse writing PATH, also within what may be written
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) protect: Vec<OsString>,
    /// Start from this policy file: JSON if its name ends in .json, else TOML
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "preset")]
    pub(crate) policy: Option<PathBuf>,
    /// Start from this policy that comes with whybox [default: agent]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Policy::PRESETS))]
    pub(crate) preset: Option<String>,
    /// The network: none but an own loopback, or all of the host's
    #[arg(long, value_name = "WHICH", value_parser = network())]
    pub(crate) net: Option<Network>,
    /// Pass an environment variable on, or set it
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = value::environment())]
    pub(crate) env: Vec<EnvironmentChange>,
    /// Pass on no environment variables but those of --env
    #[arg(long)]
    pub(crate) clear_env: bool,
    /// The /tmp: own, empty and gone at the end, or the host's as far as it is granted
    #[arg(long, value_name = "WHICH", value_parser = tmp())]
    pub(crate) tmp: Option<Tmp>,
}

fn network() -> impl clap::builder::TypedValueParser<Value = Network> {
    use clap::builder::TypedValueParser as _;
    PossibleValuesParser::new(Network::ALL.iter().map(|choice| choice.as_str()))
        .try_map(|word| Network::from_word(&word).ok_or("there is no such network"))
}

fn tmp() -> impl clap::builder::TypedValueParser<Value = Tmp> {
    use clap::builder::TypedValueParser as _;
    PossibleValuesParser::new(Tmp::ALL.iter().map(|choice| choice.as_str()))
        .try_map(|word| Tmp::from_word(&word).ok_or("there is no such choice"))
}
