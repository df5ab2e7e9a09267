//! What a comparison found.

use std::collections::BTreeMap;
use std::path::PathBuf;

use whybox_record::{Operation, OrdinaryPermissions, Violation};

use crate::attempt::Attempt;

/// Why a failing call needs no entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Explanation {
    /// The same fails without a cage: ordinary permissions.
    Ordinary,
    /// An item of the quiet list silences it.
    Quiet(&'static str),
    /// No refusal caused the error.
    NoRefusal(String),
    /// The coverage says that this sort of refusal is not observed.
    NotObserved(&'static str),
}

/// A difference between the calls and the record that nothing explains.
#[derive(Clone, Debug)]
pub enum Difference {
    /// A failing call that has no entry.
    Missed(Box<Attempt>),
    /// An entry without a call.
    Invented(Box<Violation>),
    /// An entry that counts another number of calls.
    Count {
        /// The entry, or the first of several that the same calls fit.
        entry: Box<Violation>,
        /// What the record counts.
        recorded: u64,
        /// The number of calls.
        found: u64,
    },
    /// An entry whose parent (V2) is neither who made the process nor the first process of
    /// the cage; with who made it.
    Parent(Box<Violation>, u32),
    /// An entry whose executable (V2) is not what the process executed; with what it did.
    Program(Box<Violation>, PathBuf),
    /// An entry that is wrong about ordinary permissions (X3), with the truth.
    Permissions(Box<Violation>, OrdinaryPermissions),
}

/// The numbers of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Failing calls that have their entry.
    pub matched: u64,
    /// Failing calls that should have one.
    pub missed: u64,
    /// Refusals that the record counts.
    pub recorded: u64,
    /// Those of them that a call supports.
    pub supported: u64,
}

/// What a comparison found.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Failing calls altogether.
    pub failing: u64,
    /// Failing calls that want to write, or are refused as such, and have no entry.
    pub beside: u64,
    /// Successful calls that met a name which the host has and the cage has its own
    /// directory for.
    pub made_over_shadow: u64,
    /// The numbers per operation.
    pub operations: BTreeMap<Operation, Tally>,
    /// How many calls each explanation explains.
    pub explained: BTreeMap<Explanation, u64>,
    /// An example of each explanation.
    pub examples: BTreeMap<Explanation, Attempt>,
    /// What nothing explains.
    pub differences: Vec<Difference>,
}

impl Verdict {
    /// The numbers of an operation.
    pub fn tally(&mut self, operation: Operation) -> &mut Tally {
        self.operations.entry(operation).or_default()
    }

    /// Counts a call as explained.
    pub fn explain(&mut self, attempt: &Attempt, explanation: Explanation) {
        self.examples
            .entry(explanation.clone())
            .or_insert_with(|| attempt.clone());
        *self.explained.entry(explanation).or_default() += 1;
    }

    /// Adds the numbers of another comparison.
    pub fn add(&mut self, other: &Verdict) {
        self.failing += other.failing;
        self.beside += other.beside;
        self.made_over_shadow += other.made_over_shadow;
        for (operation, tally) in &other.operations {
            self.tally(*operation).add(tally);
        }
        for (explanation, count) in &other.explained {
            *self.explained.entry(explanation.clone()).or_default() += count;
        }
        for (explanation, attempt) in &other.examples {
            self.examples
                .entry(explanation.clone())
                .or_insert_with(|| attempt.clone());
        }
        self.differences.extend(other.differences.iter().cloned());
    }

    /// The numbers over all operations.
    #[must_use]
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.operations.values().for_each(|tally| total.add(tally));
        total
    }
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.matched += other.matched;
        self.missed += other.missed;
        self.recorded += other.recorded;
        self.supported += other.supported;
    }

    /// The share of the failing calls that have their entry, in percent, rounded down: 100
    /// means all.
    #[must_use]
    pub fn recall(&self) -> u64 {
        percent(self.matched, self.matched + self.missed)
    }

    /// The share of the recorded refusals that a call supports, in percent, rounded down.
    #[must_use]
    pub fn precision(&self) -> u64 {
        percent(self.supported, self.recorded)
    }
}

fn percent(part: u64, whole: u64) -> u64 {
    (part * 100).checked_div(whole).unwrap_or(100)
}
