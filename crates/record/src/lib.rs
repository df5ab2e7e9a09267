//! The record of a whybox run: what was refused to a confined process, to
//! whom, and why.
//!
//! This crate is pure data. It makes no system call: the sandbox fills a
//! [`Recorder`] with [`Event`]s, and hands out the [`Violations`] that come of
//! them. They can be printed, one line an entry, and written and read back as a
//! versioned JSON [`Report`].
//!
//! ```
//! use std::sync::Arc;
//! use std::time::SystemTime;
//! use whybox_record::{
//!     DeniedBy, DeniedByKind, Errno, Event, Operation, Process, Recorder, Target, Witness,
//! };
//!
//! let process = Arc::new(Process::new(4127, 4100, b"head"));
//! let reason = Arc::new(DeniedBy::new(DeniedByKind::Hidden).with_rule("--hide .env"));
//! let mut recorder = Recorder::new();
//! recorder.record(Event::new(
//!     Operation::FileReadData,
//!     Target::path(b"/home/u/app/.env"),
//!     process,
//!     reason,
//!     Errno::EACCES,
//!     Witness::Ghost,
//!     SystemTime::now(),
//! ));
//! let (entries, dropped) = recorder.snapshot();
//! assert_eq!(
//!     entries[0].to_string(),
//!     "head[4127] refused file-read-data /home/u/app/.env (hidden by --hide .env)",
//! );
//! assert_eq!(dropped.total(), 0);
//! ```
//!
//! A record explains failures. It cannot acquit the sandbox: an empty one is no
//! proof that nothing was refused, and [`Coverage`] says what it could see.
#![forbid(unsafe_code)]

mod class;
mod coverage;
mod denied_by;
mod dropped;
mod errno;
mod event;
mod kind;
mod line;
mod named;
mod operation;
mod permissions;
mod process;
pub mod quiet;
mod recorder;
mod report;
mod run;
mod summary;
mod target;
pub mod text;
mod time;
mod violation;
mod violations;
mod witness;

pub use class::Class;
pub use coverage::{ClassCoverage, Coverage, CoverageState, Unenforced};
pub use denied_by::{DeniedBy, DeniedByKind};
pub use dropped::Dropped;
pub use errno::Errno;
pub use event::Event;
pub use kind::Kind;
pub use line::Line;
pub use named::UnknownName;
pub use operation::Operation;
pub use permissions::OrdinaryPermissions;
pub use process::Process;
pub use recorder::{Recorded, Recorder};
pub use report::{Report, ReportError, SchemaName};
pub use run::{Exit, Run};
pub use summary::{Summary, summary};
pub use target::{Target, TargetType};
pub use violation::Violation;
pub use violations::Violations;
pub use witness::Witness;
