//! The system calls that the cage refuses, and the filter that refuses them.

pub(crate) mod calls;
mod filter;
mod instruction;

pub(crate) use calls::{Answer, Call};
pub(crate) use filter::{THIS, Watch, filter};
