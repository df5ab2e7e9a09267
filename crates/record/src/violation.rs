//! An entry of the record.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::{
    Class, DeniedBy, Errno, Event, Kind, Operation, OrdinaryPermissions, Process, Target, Witness,
    line::Line, text, time,
};

/// An entry of the record: one or more identical events (V2).
///
/// It displays as one line (V3), of the parts that [`Line`] tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Violation {
    /// The number of the entry, from 1; it never changes.
    pub id: u64,
    /// The class that it counts in.
    pub class: Class,
    /// What was asked for.
    pub operation: Operation,
    /// What sort of thing it is.
    pub kind: Kind,
    /// What it was aimed at; of two names the one that was refused.
    pub target: Target,
    /// The other name, of a rename or a link.
    pub other_target: Option<Target>,
    /// Who asked.
    pub process: Arc<Process>,
    /// Why it was refused.
    pub denied_by: Arc<DeniedBy>,
    /// What the program was answered.
    pub errno: Errno,
    /// Whether ordinary permissions alone allow it. Where identical events
    /// differ, what excuses the sandbox least.
    pub ordinary_permissions: OrdinaryPermissions,
    /// Who saw it first.
    pub witness: Witness,
    /// Whether target and count are certain, of every event in it.
    pub exact: bool,
    /// Of a look-up beneath a hidden directory: whether the host had the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// When it first happened (RFC 3339, UTC).
    #[serde(with = "time")]
    #[schemars(with = "String")]
    pub first: SystemTime,
    /// When it last happened (RFC 3339, UTC).
    #[serde(with = "time")]
    #[schemars(with = "String")]
    pub last: SystemTime,
    /// How many identical events the entry stands for, from 1.
    pub repeats: u64,
}

impl Violation {
    /// The first entry of an event.
    #[must_use]
    pub fn new(id: u64, event: Event) -> Self {
        Self {
            id,
            class: event.class(),
            operation: event.operation,
            kind: event.kind,
            target: event.target,
            other_target: event.other_target,
            process: event.process,
            denied_by: event.denied_by,
            errno: event.errno,
            ordinary_permissions: event.ordinary_permissions,
            witness: event.witness,
            exact: event.exact,
            exists: event.exists,
            first: event.time,
            last: event.time,
            repeats: 1,
        }
    }

    /// The entry as JSON on one line, with a newline at the end, as a stream of entries
    /// has it.
    ///
    /// # Errors
    /// None that this crate's own types can cause.
    pub fn to_json_line(&self) -> Result<String, serde_json::Error> {
        let mut line = serde_json::to_string(self)?;
        line.push('\n');
        Ok(text::plain_json(line))
    }

    /// Adds an identical event.
    pub(crate) fn repeat(&mut self, event: &Event) {
        self.repeats = self.repeats.saturating_add(1);
        self.first = self.first.min(event.time);
        self.last = self.last.max(event.time);
        self.exact &= event.exact;
        self.ordinary_permissions = self.ordinary_permissions.max(event.ordinary_permissions);
        self.exists = self.exists.max(event.exists);
    }
}

/// One line: `head[4127] refused file-read-data /home/u/app/.env (hidden by --hide .env)`.
///
/// The word after the process is the entry's [`Kind::verb`]. A process name or a
/// target with other than plain characters stands in quotes, escaped, so that
/// nothing in it can end the line or look like another part of it. After the
/// reason stands the number of repeats, where there is more than one: `, 3 times`.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Line::of(self).fmt(f)
    }
}
