//! The ghost, mounted and driven by real system calls of another process.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod arbitrary;
mod caller;
mod changes;
mod connection;
mod dead;
mod evict;
mod fixed;
mod mounted;
mod reads;
mod shadow;

/// The process inside: it is this test binary, started again by `mounted`.
#[test]
#[ignore = "the other half of the tests beside it"]
fn caller() {
    caller::run();
}
