//! What a person is told after a run.

use std::fmt;

use crate::{Kind, Violation, Violations};

/// What a person is told after a run: plain text as it displays, or its parts for
/// who wants to colour them. Every line ends with a newline.
///
/// ```text
/// whybox: 2 operations were refused
///   cat[815] refused file-read-data /home/u/app/.env (hidden by --hide .env)
///   cat[816] refused file-read-data /home/u/.ssh/id_rsa (no rule grants it)
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary<'a> {
    /// What happened, counted, such as `2 operations were refused`.
    pub heading: String,
    /// The entries that are shown, each a line.
    pub shown: Vec<&'a Violation>,
    /// How many entries are left out because there are too many.
    pub folded: usize,
    /// What else must be known, each a line.
    pub notes: Vec<String>,
}

impl<'a> Summary<'a> {
    /// The summary of a record with at most so many entries shown; none where there is
    /// nothing to tell.
    #[must_use]
    pub fn of(violations: &'a Violations, command_failed: bool, most: usize) -> Option<Self> {
        let mut shown = violations.for_summary(command_failed);
        if shown.is_empty() {
            return None;
        }
        let heading = heading(&shown);
        let folded = shown.len().saturating_sub(most);
        shown.truncate(most);
        Some(Self {
            heading,
            shown,
            folded,
            notes: notes(violations),
        })
    }

    /// The line that stands for what is left out.
    #[must_use]
    pub fn fold_line(&self) -> Option<String> {
        (self.folded > 0).then(|| format!("... and {} more (--report)", self.folded))
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "whybox: {}", self.heading)?;
        for entry in &self.shown {
            writeln!(f, "  {entry}")?;
        }
        for line in self.fold_line().iter().chain(&self.notes) {
            writeln!(f, "  {line}")?;
        }
        Ok(())
    }
}

/// The summary as plain text.
///
/// See [`Summary`].
#[must_use]
pub fn summary(violations: &Violations, command_failed: bool, most: usize) -> Option<String> {
    Summary::of(violations, command_failed, most).map(|summary| summary.to_string())
}

fn heading(shown: &[&Violation]) -> String {
    let counts = |wanted: &[Kind], one: &str, many: &str| {
        let count = shown
            .iter()
            .filter(|entry| wanted.contains(&entry.kind))
            .count();
        match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {many}")),
        }
    };
    [
        counts(
            &[Kind::Denial, Kind::NotExamined],
            "operation was refused",
            "operations were refused",
        ),
        counts(
            &[Kind::AccessCheck],
            "operation would be refused",
            "operations would be refused",
        ),
        counts(
            &[Kind::MaskGap],
            "name was uncovered for a moment",
            "names were uncovered for a moment",
        ),
        counts(
            &[Kind::Swept],
            "name was removed at the end",
            "names were removed at the end",
        ),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(", ")
}

fn notes(violations: &Violations) -> Vec<String> {
    let mut notes = Vec::new();
    match violations.dropped.total() {
        0 => {}
        1 => notes.push("1 more event found no room in the record".to_owned()),
        many => notes.push(format!("{many} more events found no room in the record")),
    }
    if !violations.complete {
        notes.push("the record is not complete: a call was still under way".to_owned());
    }
    notes
}
