//! The plan that a harness hands to `whybox-init`, and the messages that come back.
//!
//! A plan is plain data: three lists of [`Step`]s, for the three processes that a
//! launch goes through, and the [`Program`] to execute. The library builds it from
//! a policy, prints it for a dry run, and passes it to the init in a memory file;
//! the init carries it out and reports over a socket.
//!
//! The package's program needs the feature `freestanding`; without it this is only
//! the format, and `no_std`.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

extern crate alloc;

mod message;
mod plan;
mod show;

pub use message::{MESSAGE_BYTES, Message, Order, Stage};
pub use plan::{Landlock, PathAccess, Plan, Program, Step};

/// Descriptor of the control socket in the init (`SOCK_SEQPACKET`).
pub const CONTROL_FD: i32 = 3;
/// Part of [`Stage::Start`] that fails when a standard stream is a directory.
pub const DIRECTORY_AS_STREAM: u32 = 3;
/// Descriptor of the memory file that holds the plan.
pub const PLAN_FD: i32 = 4;
/// Descriptor of the memory file that holds the init's own image.
pub const IMAGE_FD: i32 = 5;
