//! What a record can show.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Class, Witness, class};

/// What the record can show of a class of operations (V9).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CoverageState {
    /// Every refusal, with its true target and count.
    Exact,
    /// The same, unless the arguments of a call are changed while it is examined.
    ExactUnlessRaced,
    /// Refusals can be missing, and counts are lower bounds.
    BestEffort,
    /// Nothing, although it was asked for.
    Unavailable {
        /// Why.
        reason: String,
    },
    /// Nothing: no witness watches the class.
    NotObserved,
    /// Nothing, because reporting is off for the class.
    Off,
}

impl CoverageState {
    /// The fixed name, as it stands in JSON.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::ExactUnlessRaced => "exact-unless-raced",
            Self::BestEffort => "best-effort",
            Self::Unavailable { .. } => "unavailable",
            Self::NotObserved => "not-observed",
            Self::Off => "off",
        }
    }

    /// How much is claimed; more is greater.
    const fn claim(&self) -> u8 {
        match self {
            Self::Exact => 3,
            Self::ExactUnlessRaced => 2,
            Self::BestEffort => 1,
            Self::Unavailable { .. } | Self::NotObserved | Self::Off => 0,
        }
    }
}

impl fmt::Display for CoverageState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable { reason } => {
                write!(f, "unavailable: {}", crate::text::visible(reason))
            }
            state => f.pad(state.as_str()),
        }
    }
}

/// Coverage of one class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
#[non_exhaustive]
pub struct ClassCoverage {
    /// What the record can show.
    pub state: CoverageState,
    /// By which witnesses.
    pub witnesses: Vec<Witness>,
    /// What a reader must know besides.
    pub notes: Vec<String>,
}

/// A rule of the policy that is not enforced, at the start or any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Unenforced {
    /// The rule as its author wrote it.
    pub rule: String,
    /// Where it is written, where it does not say so itself.
    pub source: Option<String>,
    /// Why it is not enforced.
    pub reason: String,
}

impl Unenforced {
    /// A rule, where it is written, and why it is not enforced.
    #[must_use]
    pub fn new(rule: impl Into<String>, source: Option<String>, reason: impl Into<String>) -> Self {
        Self {
            rule: rule.into(),
            source,
            reason: reason.into(),
        }
    }
}

/// What a record can show, per class of operations, and what was not enforced (V9).
///
/// It starts with nothing observed, and claims only what is set.
///
/// ```
/// use whybox_record::{Class, Coverage, CoverageState, Witness};
/// let mut coverage = Coverage::new();
/// assert_eq!(coverage.get(Class::FileRead).state, CoverageState::NotObserved);
/// coverage.set(Class::FileRead, CoverageState::Exact, &[Witness::Ghost]);
/// coverage.lower(Class::FileRead, CoverageState::BestEffort, "the ghost fell behind");
/// coverage.lower(Class::FileRead, CoverageState::ExactUnlessRaced, "a second note");
/// assert_eq!(coverage.get(Class::FileRead).state, CoverageState::BestEffort);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Coverage {
    #[schemars(schema_with = "class::map_schema::<ClassCoverage>")]
    classes: BTreeMap<Class, ClassCoverage>,
    /// Rules that are not enforced.
    pub unenforced: Vec<Unenforced>,
    /// Names of the gaps that the caller accepted.
    pub gaps: Vec<String>,
}

impl Coverage {
    /// Nothing is observed.
    #[must_use]
    pub fn new() -> Self {
        Self::all(&CoverageState::NotObserved)
    }

    /// Every class in the same state, without a witness: for reporting that is off or
    /// unavailable.
    #[must_use]
    pub fn all(state: &CoverageState) -> Self {
        let class = |class: &Class| (*class, ClassCoverage::new(state.clone(), &[]));
        Self {
            classes: Class::ALL.iter().map(class).collect(),
            unenforced: Vec::new(),
            gaps: Vec::new(),
        }
    }

    /// Coverage of a class.
    #[must_use]
    pub fn get(&self, class: Class) -> ClassCoverage {
        let state = || ClassCoverage::new(CoverageState::NotObserved, &[]);
        self.classes.get(&class).cloned().unwrap_or_else(state)
    }

    /// Every class with its coverage.
    pub fn iter(&self) -> impl Iterator<Item = (Class, &ClassCoverage)> {
        self.classes.iter().map(|(class, state)| (*class, state))
    }

    /// Sets what the record can show of a class; its notes stay.
    pub fn set(&mut self, class: Class, state: CoverageState, witnesses: &[Witness]) {
        let slot = self.slot(class);
        slot.state = state;
        slot.witnesses = witnesses.to_vec();
    }

    /// Lowers the claim for a class if it is higher, and notes why.
    pub fn lower(&mut self, class: Class, state: CoverageState, why: &str) {
        let slot = self.slot(class);
        if state.claim() < slot.state.claim() {
            slot.state = state;
        }
        self.note(class, why);
    }

    /// Adds a note to a class, once.
    pub fn note(&mut self, class: Class, note: &str) {
        let notes = &mut self.slot(class).notes;
        if !notes.iter().any(|known| known == note) {
            notes.push(note.to_owned());
        }
    }

    fn slot(&mut self, class: Class) -> &mut ClassCoverage {
        let state = || ClassCoverage::new(CoverageState::NotObserved, &[]);
        self.classes.entry(class).or_insert_with(state)
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self::new()
    }
}

impl ClassCoverage {
    fn new(state: CoverageState, witnesses: &[Witness]) -> Self {
        Self {
            state,
            witnesses: witnesses.to_vec(),
            notes: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "CoverageState")]
enum WireState {
    Exact,
    ExactUnlessRaced,
    BestEffort,
    Unavailable,
    NotObserved,
    Off,
}

#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClassCoverage")]
struct Wire {
    state: WireState,
    /// Why it is unavailable; only there where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    witnesses: Vec<Witness>,
    notes: Vec<String>,
}

impl From<ClassCoverage> for Wire {
    fn from(coverage: ClassCoverage) -> Self {
        let (state, reason) = match coverage.state {
            CoverageState::Exact => (WireState::Exact, None),
            CoverageState::ExactUnlessRaced => (WireState::ExactUnlessRaced, None),
            CoverageState::BestEffort => (WireState::BestEffort, None),
            CoverageState::Unavailable { reason } => (WireState::Unavailable, Some(reason)),
            CoverageState::NotObserved => (WireState::NotObserved, None),
            CoverageState::Off => (WireState::Off, None),
        };
        Self {
            state,
            reason,
            witnesses: coverage.witnesses,
            notes: coverage.notes,
        }
    }
}

impl TryFrom<Wire> for ClassCoverage {
    type Error = &'static str;

    fn try_from(wire: Wire) -> Result<Self, &'static str> {
        let state = match (wire.state, wire.reason) {
            (WireState::Unavailable, Some(reason)) => CoverageState::Unavailable { reason },
            (WireState::Unavailable, None) => return Err("unavailable coverage needs a reason"),
            (_, Some(_)) => return Err("only unavailable coverage has a reason"),
            (WireState::Exact, None) => CoverageState::Exact,
            (WireState::ExactUnlessRaced, None) => CoverageState::ExactUnlessRaced,
            (WireState::BestEffort, None) => CoverageState::BestEffort,
            (WireState::NotObserved, None) => CoverageState::NotObserved,
            (WireState::Off, None) => CoverageState::Off,
        };
        Ok(Self {
            state,
            witnesses: wire.witnesses,
            notes: wire.notes,
        })
    }
}

impl schemars::JsonSchema for ClassCoverage {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Wire::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Wire::json_schema(generator)
    }
}
