//! What the tests share: a tree, policies, and commands run to their end.

mod python;
mod run;
mod tree;

pub(crate) use python::{Verdicts, verdicts, verdicts_of};
pub(crate) use run::{Outcome, command, finish, in_shell, python, run, run_with, shell};
pub(crate) use tree::{Tree, system};

use std::time::{Duration, Instant};

use whybox::record::{Kind, Violation, Violations};

/// Whether the tests run as root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether races, storms and soaks run in their full length.
pub(crate) fn long() -> bool {
    std::env::var_os("WHYBOX_LONG").is_some_and(|value| value == "1")
}

/// Waits for what must come, with a bound that only a hang exceeds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "did not happen: {what}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The denials of a target, in order.
pub(crate) fn denials_of(
    record: &Violations,
    target: impl AsRef<std::path::Path>,
) -> Vec<&Violation> {
    use std::os::unix::ffi::OsStrExt;
    let target = target.as_ref().as_os_str().as_bytes();
    record
        .iter()
        .filter(|entry| entry.kind == Kind::Denial && entry.target.bytes() == target)
        .collect()
}

/// The record as text, for messages of assertions.
pub(crate) fn lines(record: &Violations) -> String {
    record
        .iter()
        .map(|entry| format!("{entry} [{:?}]\n", entry.kind))
        .collect()
}
