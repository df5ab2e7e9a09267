//! What can go wrong before a command runs, and what to do about it.

use std::fmt;
use std::io;

use whybox_policy::{PolicyError, Rule};

/// Why a cage could not be made or a command not be started in it. The command never ran.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The policy itself is wrong.
    #[error(transparent)]
    Policy(#[from] PolicyError),

    /// This host cannot give what the policy promises. Accept the gap by its name, or do what the text says.
    #[error("this host cannot confine the command as the policy says: {missing}; {remedy}")]
    Unsupported {
        /// The name by which the gap can be accepted, when it can.
        gap: Option<&'static str>,
        /// What is missing.
        missing: String,
        /// How to get it.
        remedy: String,
    },

    /// There is no gap of this name.
    #[error("there is no gap named {name:?}; see `whybox::GAPS` for those that can be accepted")]
    UnknownGap {
        /// The name.
        name: String,
    },

    /// A step of the launch failed.
    #[error("{stage}: {step}: {errno}{}", Hint(.hint))]
    Step {
        /// Where in the launch.
        stage: &'static str,
        /// The step, with its path.
        step: String,
        /// The error, by name and number.
        errno: Errno,
        /// What to do about it, when that is known.
        hint: Option<&'static str>,
    },

    /// The command could not be executed: it is missing (`ENOENT`) or may not be executed (`EACCES` and others).
    #[error("cannot execute {program}: {errno}")]
    Exec {
        /// The program, escaped.
        program: String,
        /// The error, by name and number.
        errno: Errno,
    },

    /// A system call of the harness failed.
    #[error("cannot {step}: {source}")]
    Io {
        /// What was attempted.
        step: &'static str,
        /// The error.
        source: io::Error,
    },

    /// The init ended, or did not answer in time.
    #[error("the cage's init {0}")]
    Init(&'static str),
}

/// An errno that displays by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub(crate) i32);

impl Errno {
    /// The number; see errno(3).
    #[must_use]
    pub const fn raw(self) -> i32 {
        self.0
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match whybox_record::Errno::from_raw(self.0).name() {
            Some(name) => write!(f, "{name} ({})", io::Error::from_raw_os_error(self.0)),
            None => write!(f, "errno {}", self.0),
        }
    }
}

struct Hint<'a>(&'a Option<&'static str>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

impl Error {
    pub(crate) fn io(step: &'static str) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::Io { step, source }
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn too_many_matches(rule: &Rule, most: usize) -> Error {
        Error::Unsupported {
            gap: Some("glob-matches"),
            missing: format!("the glob {rule} matches more than {most} names, each of which takes a mount"),
            remedy: "hide their directory instead, or accept the gap `glob-matches`: then the first of them are covered and the rest are not".to_owned(),
        }
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn unexamined(error: &walkdir::Error) -> Error {
        Error::Unsupported {
            gap: Some("glob-matches"),
            missing: format!(
                "what a glob hides cannot be searched for everywhere: {}",
                whybox_record::text::escape(error.to_string().as_bytes())
            ),
            remedy: "move or remove that directory, or accept the gap `glob-matches`: then what is in it is not covered"
                .to_owned(),
        }
    }

    /// The exit status that a shell would give: 127 for a program that is not there, 126 for one that cannot be
    /// executed, 125 for everything else.
    #[must_use]
    pub fn exit_status(&self) -> i32 {
        match self {
            Error::Exec {
                errno: Errno(libc::ENOENT),
                ..
            } => 127,
            Error::Exec { .. } => 126,
            _ => 125,
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        match error {
            Error::Exec { errno, .. } | Error::Step { errno, .. } => {
                io::Error::new(io::Error::from_raw_os_error(errno.0).kind(), error)
            }
            Error::Io { ref source, .. } => io::Error::new(source.kind(), error),
            other => io::Error::other(other),
        }
    }
}
