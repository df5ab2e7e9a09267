//! Who saw a refusal.

use crate::named::named;

named! {
    /// Who saw what an entry tells.
    pub enum Witness: "witness" {
        /// The file system that stands in the place of all that is not granted.
        Ghost = "ghost",
        /// The supervisor, which answers system calls.
        Supervisor = "supervisor",
        /// The kernel's audit stream.
        Audit = "audit",
        /// The walk at the end of a run.
        Sweep = "sweep",
        /// The first process of the cage.
        Init = "init",
        /// The system's log.
        Log = "log",
    }
}
