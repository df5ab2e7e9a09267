//! Linux: namespaces, the ghost, Landlock, seccomp.

mod cage;
mod child;
mod copies;
mod coverage;
mod environment;
pub(crate) mod ghost;
mod host;
mod landlock;
mod launch;
mod log;
mod plan;
pub(crate) mod process;
mod raw;
mod resolve;
mod seccomp;
mod supervisor;

pub(crate) use cage::Cage;
pub(crate) use child::{Child, Handle};
