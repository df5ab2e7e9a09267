//! The three things that a program can want of a path.

use std::fmt;

/// What a program wants to do with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Read or list it, or ask for its metadata.
    Read,
    /// Change, create, remove or rename it, or change its metadata.
    Write,
    /// Execute it, or map it as code.
    Exec,
}

impl Access {
    /// All accesses, in order.
    pub const ALL: [Access; 3] = [Access::Read, Access::Write, Access::Exec];

    /// The lower-case word: `read`, `write` or `exec`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Exec => "exec",
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
