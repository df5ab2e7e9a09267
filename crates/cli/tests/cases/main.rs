//! Situations from real use that broke other sandboxes, each with what a right one does: through the real program, as
//! whoever runs the tests. A test is named after its situation and holds three things: the outcome, the record, and that
//! nothing is left on the host.
//!
//! What concerns parts that do not exist yet comes with them:
//!
//! | later, with | situations |
//! |---|---|
//! | writes that are refused, named | ENF-40, ENF-55, OBS-07, OBS-08, ENF-49; the entries of ENF-02, 07, 20, 24, 28, 56, 59 |
//! | names protected before they exist, and ancestors of what is protected | ENF-23, ENF-33, ENF-41, ENF-57; the link's own name in ENF-07, hooks in ENF-66 |
//! | names that change during a run | OBS-13, ENF-57 |
//! | programs that are refused, named | ENF-45, ENF-62, OBS-06 |
//! | Unix sockets outside | ENF-09, ENF-10, OBS-19, OBS-22 |
//! | network by host and port | NET-05, NET-09, NET-10, NET-12, NET-17, OBS-15; the entries of NET-04, 06, 07 |
//! | signals and tracing, named | ENF-29; the entries of ENF-44 |
//! | limits | LIF-07, LIF-10, OBS-28 |
//! | suggestions | USE-03, USE-06, USE-07 |
//! | directories that fold case | ENF-15 |
//!
//! Code that runs from memory (ENF-26) is not refused: SECURITY.md says so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bed;
mod calls;
#[path = "../common/mod.rs"]
mod common;
mod hidden;
mod leftovers;
mod lifecycle;
mod messages;
mod network;
mod programs;
mod record;
mod rules;
mod sbx;
mod size;
mod start;
