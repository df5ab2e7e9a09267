//! Why whybox itself gives up, and the exit status that says so.

use std::fmt;
use std::io::Write as _;

use whybox::{Error, PolicyError};

/// An end that is not the command's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The exit status.
    pub(crate) status: u8,
    /// What is wrong and what to do, on one line.
    pub(crate) text: String,
}

impl Failure {
    /// Bad usage or a bad policy.
    pub(crate) fn usage(text: impl Into<String>) -> Failure {
        Failure {
            status: 2,
            text: text.into(),
        }
    }

    /// Something went wrong before the command started.
    pub(crate) fn before(text: impl Into<String>) -> Failure {
        Failure {
            status: 125,
            text: text.into(),
        }
    }

    /// Tells it on standard error.
    pub(crate) fn print(&self) {
        complain(&self.text);
    }
}

/// Prints one line on standard error. When even that fails there is nobody left to tell.
pub(crate) fn complain(text: impl fmt::Display) {
    let line = one_line(&format!("whybox: {text}"));
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// Names in a message may come from anywhere: nothing in it ends the line or reaches the terminal as a command.
fn one_line(text: &str) -> String {
    let mut line: String = text
        .chars()
        .flat_map(|c| {
            if c.is_control() {
                c.escape_default().collect()
            } else {
                vec![c]
            }
        })
        .collect();
    line.push('\n');
    line
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<PolicyError> for Failure {
    fn from(error: PolicyError) -> Failure {
        Failure::usage(error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::Policy(_) | Error::UnknownGap { .. } => 2,
            other => u8::try_from(other.exit_status()).unwrap_or(125),
        };
        Failure {
            status,
            text: error.to_string(),
        }
    }
}
