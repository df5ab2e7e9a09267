//! The `whybox` command: runs a command in a sandbox and tells what was refused, and why.
//!
//! Arguments are parsed ([`args`]), turned into a validated plan ([`plan`]), and then carried out ([`run`] and the
//! other commands).
#![forbid(unsafe_code)]

mod args;
mod describe;
mod doctor;
mod failure;
mod output;
mod plan;
mod policy;
mod run;
mod status;

use std::process::ExitCode;

use args::{Action, PolicyAction, RecordAction};
use failure::Failure;

fn main() -> ExitCode {
    let action = match args::parse() {
        Ok(action) => action,
        Err(status) => return ExitCode::from(status),
    };
    match perform(action) {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.status)
        }
    }
}

fn perform(action: Action) -> Result<u8, Failure> {
    match action {
        Action::Run(run) => run::run(*run),
        Action::Policy {
            action: PolicyAction::Schema,
        } => output::print_json(&whybox::Policy::schema()),
        Action::Policy {
            action: PolicyAction::Show(options),
        } => policy::show(*options),
        Action::Policy {
            action: PolicyAction::Check { file },
        } => policy::check(&file),
        Action::Record {
            action: RecordAction::Schema,
        } => output::print_json(&whybox::record::Report::schema()),
        Action::Completions { shell } => describe::completions(shell),
        Action::Man { page } => describe::man(page.as_deref()),
        Action::Doctor => doctor::doctor(),
        Action::Probe { hidden } => doctor::probe(&hidden),
    }
}
