//! The read oracle (X2): an independent witness that holds the record of whybox to the truth.
//!
//! strace follows a whole run from outside the cage and lists every call. From that alone
//! this crate works out what was refused, and compares it with the record: every failing
//! read must have an entry with the same process, absolute path and operation; every entry
//! must have such calls, as many as its `repeats` says.
//!
//! | module | is about |
//! |---|---|
//! | [`trace`] | reading what strace wrote |
//! | [`calls`] | which calls there are, and what they ask for |
//! | [`world`], [`walk`], [`attempt`] | who called, and where a path led |
//! | [`replay`] | trying the same without a cage |
//! | [`judge`] | the comparison |
//! | [`bed`], [`workloads`], [`run`], [`mod@print`] | what is run, and how it is told |
#![forbid(unsafe_code)]

pub mod attempt;
pub mod bed;
pub mod calls;
pub mod judge;
pub mod print;
pub mod replay;
pub mod run;
pub mod trace;
pub mod walk;
pub mod workloads;
pub mod world;
