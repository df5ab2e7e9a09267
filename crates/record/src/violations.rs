//! The record of a run as a harness reads it.

use crate::{Coverage, Dropped, Kind, OrdinaryPermissions, Violation};

/// The record of a run: its entries, and what they can show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violations {
    /// No earlier denial can still be under way (V8).
    pub complete: bool,
    /// What the record can show.
    pub coverage: Coverage,
    /// What is in no entry.
    pub dropped: Dropped,
    entries: Vec<Violation>,
}

impl Violations {
    /// A record of these entries.
    #[must_use]
    pub const fn new(
        entries: Vec<Violation>,
        dropped: Dropped,
        coverage: Coverage,
        complete: bool,
    ) -> Self {
        Self {
            complete,
            coverage,
            dropped,
            entries,
        }
    }

    /// All entries, in the order in which they first happened.
    pub fn iter(&self) -> std::slice::Iter<'_, Violation> {
        self.entries.iter()
    }

    /// How many entries there are, of any kind.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry of any kind. It is no proof that nothing was
    /// refused: see [`Violations::coverage`].
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries that are refusals, [`Kind::Denial`].
    pub fn denials(&self) -> impl Iterator<Item = &Violation> {
        self.iter().filter(|entry| entry.kind == Kind::Denial)
    }

    /// The entries that a person is shown after the run.
    ///
    /// Left out is what no grant would change, because ordinary permissions refuse it
    /// too, and what programs expect and get along with: kinds shadowed, absent and
    /// probe. An access check, and a look-up of a name that the host does not have
    /// either, is left out unless the command failed and nothing else explains it.
    #[must_use]
    pub fn for_summary(&self, command_failed: bool) -> Vec<&Violation> {
        let of = |wanted: Explains| -> Vec<&Violation> {
            self.iter()
                .filter(|entry| explains(entry) == wanted)
                .collect()
        };
        let shown = of(Explains::Well);
        if shown.is_empty() && command_failed {
            return of(Explains::Weakly);
        }
        shown
    }

    /// The entries, coverage, completeness and drop counts as JSON, as they stand
    /// in a [`Report`](crate::Report).
    ///
    /// # Errors
    /// None that this crate's own types can cause.
    pub fn to_json(&self) -> Result<serde_json::Value, serde_json::Error> {
        Ok(serde_json::json!({
            "coverage": serde_json::to_value(&self.coverage)?,
            "complete": self.complete,
            "dropped": serde_json::to_value(self.dropped)?,
            "violations": serde_json::to_value(&self.entries)?,
        }))
    }

    /// The entries alone.
    #[must_use]
    pub fn into_entries(self) -> Vec<Violation> {
        self.entries
    }
}

impl<'a> IntoIterator for &'a Violations {
    type Item = &'a Violation;
    type IntoIter = std::slice::Iter<'a, Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// How well an entry explains that a command failed.
#[derive(PartialEq, Eq)]
enum Explains {
    Well,
    Weakly,
    Not,
}

fn explains(entry: &Violation) -> Explains {
    if entry.ordinary_permissions == OrdinaryPermissions::Deny {
        return Explains::Not;
    }
    match entry.kind {
        Kind::Shadowed | Kind::Absent | Kind::Probe => Explains::Not,
        Kind::AccessCheck => Explains::Weakly,
        Kind::Denial if entry.exists == Some(false) => Explains::Weakly,
        Kind::Denial | Kind::NotExamined | Kind::MaskGap | Kind::Swept => Explains::Well,
    }
}
