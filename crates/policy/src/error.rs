//! What can be wrong with a policy, and where.

use std::fmt;
use std::path::{Path, PathBuf};

/// What kind of mistake a [`PolicyError`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file could not be read.
    Io,
    /// The text is not TOML or JSON.
    Syntax,
    /// A key that the format does not have, or one given twice.
    Key,
    /// A value of the wrong type, or outside its range.
    Value,
    /// A path that cannot be used: empty, with a NUL byte, or with an unknown variable.
    Path,
    /// A variable that is known but has no value here.
    Variable,
    /// A glob that cannot be understood.
    Glob,
    /// Two rules of one author that exclude each other.
    Contradiction,
    /// A preset that does not exist.
    Preset,
}

/// A mistake in a policy: where it is, what it is, and what to do.
///
/// Displays as `whybox.toml:7:9: unknown key "raed" in [files]; did you mean "read"?`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    kind: ErrorKind,
    message: String,
    origin: Option<PathBuf>,
    position: Option<(u32, u32)>,
}

impl PolicyError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        PolicyError {
            kind,
            message: message.into(),
            origin: None,
            position: None,
        }
    }

    /// The same error, at a place of a file; a place that is already known stays.
    pub(crate) fn at(mut self, origin: &Path, position: Option<(u32, u32)>) -> Self {
        if self.origin.is_none() {
            self.origin = Some(origin.to_owned());
            self.position = position;
        }
        self
    }

    /// What kind of mistake it is.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What is wrong and what to do, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The file, when the mistake is in one.
    #[must_use]
    pub fn origin(&self) -> Option<&Path> {
        self.origin.as_deref()
    }

    /// Line and column (in characters), both from 1, when the mistake is at one place of a text.
    #[must_use]
    pub const fn position(&self) -> Option<(u32, u32)> {
        self.position
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{}:", origin.to_string_lossy().escape_debug())?;
            if let Some((line, column)) = self.position {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for PolicyError {}
