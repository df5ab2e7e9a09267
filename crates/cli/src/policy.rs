//! `whybox policy`.

use std::path::Path;

use whybox::{Context, Policy};

use crate::args::PolicyOptions;
use crate::failure::Failure;
use crate::{output, plan};

/// Prints the policy that a run with these options would have.
pub(crate) fn show(options: PolicyOptions) -> Result<u8, Failure> {
    let policy = plan::policy(&options, &Context::from_process()?)?;
    output::print(&policy.to_toml())
}

/// Says nothing where the file is right.
pub(crate) fn check(file: &Path) -> Result<u8, Failure> {
    Policy::from_file(file)?;
    Ok(0)
}
