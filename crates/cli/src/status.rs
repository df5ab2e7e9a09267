//! The exit status of `whybox run`.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use whybox::record::{Exit, Kind, Violations};

/// The time was up.
const TIMEOUT: u8 = 124;
/// The command succeeded, but something was refused to it.
const DENIED: u8 = 123;

/// How a command that ran came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself or by a signal.
    Status(ExitStatus),
    /// By `--timeout`.
    Timeout,
}

impl Ending {
    /// Whether it did what it was to do.
    pub(crate) fn succeeded(self) -> bool {
        matches!(self, Ending::Status(status) if status.success())
    }

    /// What the report says.
    pub(crate) fn exit(self) -> Exit {
        match self {
            Ending::Timeout => Exit::Timeout {},
            Ending::Status(status) => match (status.code(), status.signal()) {
                (Some(code), _) => Exit::Code { code },
                (None, signal) => Exit::Signal {
                    signal: signal.unwrap_or(0),
                },
            },
        }
    }

    /// What a shell would give; `denied` asks for a status of its own where something was refused.
    pub(crate) fn status(self, denied: bool) -> u8 {
        match self {
            Ending::Timeout => TIMEOUT,
            Ending::Status(_) if denied && self.succeeded() => DENIED,
            Ending::Status(status) => {
                let number = status
                    .code()
                    .unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
                // An exit status has eight bits, and signals end at 64.
                u8::try_from(number & 0xff).unwrap_or(u8::MAX)
            }
        }
    }
}

/// Whether something was refused that a person would be told of.
pub(crate) fn refused(violations: &Violations) -> bool {
    violations
        .for_summary(false)
        .iter()
        .any(|entry| matches!(entry.kind, Kind::Denial | Kind::NotExamined))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(status: i32) -> Ending {
        Ending::Status(ExitStatus::from_raw(status))
    }

    #[test]
    fn the_status_is_what_a_shell_would_give() {
        assert_eq!(raw(0).status(false), 0);
        assert_eq!(raw(3 << 8).status(false), 3);
        assert_eq!(raw(255 << 8).status(false), 255);
        assert_eq!(raw(9).status(false), 137);
        assert_eq!(raw(64).status(false), 192);
        assert_eq!(Ending::Timeout.status(false), 124);
    }

    /// Only a success is turned into a failure: what the command said itself counts more.
    #[test]
    fn a_denial_matters_only_to_a_success() {
        assert_eq!(raw(0).status(true), 123);
        assert_eq!(raw(1 << 8).status(true), 1);
        assert_eq!(raw(15).status(true), 143);
        assert_eq!(Ending::Timeout.status(true), 124);
    }

    #[test]
    fn the_report_tells_endings_apart() {
        assert_eq!(raw(7 << 8).exit(), Exit::Code { code: 7 });
        assert_eq!(raw(15).exit(), Exit::Signal { signal: 15 });
        assert_eq!(Ending::Timeout.exit(), Exit::Timeout {});
    }
}
