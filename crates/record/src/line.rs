//! An entry as one line of text.

use std::fmt;

use crate::{OrdinaryPermissions, Violation};

/// The line of an entry in its parts, for who wants to colour them. It displays as the
/// entry does.
///
/// Each part but the reason is either free of spaces or in quotes, and the reason
/// comes last, so a confined process cannot choose names with which two different
/// entries give one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// `name[pid]`.
    pub process: String,
    /// What happened, such as `refused`.
    pub verb: &'static str,
    /// The operation's name.
    pub operation: &'static str,
    /// What it was aimed at.
    pub target: String,
    /// The other name, of a rename or a link.
    pub other_target: Option<String>,
    /// Why, without the parentheses.
    pub reason: String,
    /// How many identical events the entry stands for.
    pub repeats: u64,
}

impl Line {
    /// The parts of an entry's line.
    #[must_use]
    pub fn of(entry: &Violation) -> Self {
        let mut reason = entry.denied_by.to_string();
        if entry.ordinary_permissions == OrdinaryPermissions::Deny {
            reason.push_str("; ordinary permissions refuse it too");
        }
        Self {
            process: entry.process.to_string(),
            verb: entry.kind.verb(),
            operation: entry.operation.as_str(),
            target: entry.target.to_string(),
            other_target: entry.other_target.as_ref().map(ToString::to_string),
            reason,
            repeats: entry.repeats,
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            process,
            verb,
            operation,
            target,
            ..
        } = self;
        write!(f, "{process} {verb} {operation} {target}")?;
        if let Some(other) = &self.other_target {
            write!(f, " with {other}")?;
        }
        write!(f, " ({})", self.reason)?;
        if self.repeats > 1 {
            write!(f, ", {} times", self.repeats)?;
        }
        Ok(())
    }
}
