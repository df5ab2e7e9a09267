//! whybox: a process sandbox that tells what was refused and why.
//!
//! A [`Cage`] confines commands to what a [`Policy`] grants. Each operation that it refuses is an entry of the run's
//! record ([`Child::violations`]): the process, the target, the rule behind it.
//!
//! ```no_run
//! use whybox::{Cage, CageOptions, Grants, Policy};
//! use std::process::Command;
//!
//! let policy = Policy::from_file("whybox.toml")?;
//! let cage = Cage::with_options(&policy, &CageOptions::default().with_violations())?;
//! let mut run = cage.spawn(Command::new("cargo").arg("test"), &Grants::new().read("/opt/sdk"))?;
//! let status = run.wait()?;
//! for entry in run.violations().iter() {
//!     println!("{status}: {entry}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

mod cage;
mod child;
mod command;
mod error;
mod grants;
mod options;

#[cfg(target_os = "linux")]
pub(crate) mod linux;
#[cfg(target_os = "linux")]
use linux as platform;

pub use cage::{Cage, Spawn};
pub use child::{Child, Handle, State};
pub use command::{Command, Stdio};
pub use error::{Errno, Error};
pub use grants::Grants;
pub use options::{CageOptions, GAPS};
pub use whybox_policy::{self as policy, Context, Policy, PolicyError};
pub use whybox_record::{self as record, Violation, Violations};
