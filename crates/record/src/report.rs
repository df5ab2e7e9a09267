//! The report: a run and its record as one versioned JSON document (X10).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{Coverage, Dropped, Run, Violation, Violations, text};

/// A run and its record as one JSON document, `whybox-record/1`.
///
/// Reading is strict: an unknown key, name or version is an error. Writing what was
/// read gives the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Report {
    /// The name and version of the format.
    pub schema: SchemaName,
    /// The run that it is about.
    pub run: Run,
    /// What the record can show.
    pub coverage: Coverage,
    /// No earlier denial was still under way.
    pub complete: bool,
    /// Events that are in no entry, per class.
    pub dropped: Dropped,
    /// The entries.
    pub violations: Vec<Violation>,
}

/// The name of the format, [`Report::SCHEMA`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaName;

impl Serialize for SchemaName {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(Report::SCHEMA)
    }
}

impl<'de> Deserialize<'de> for SchemaName {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        if name == Report::SCHEMA {
            return Ok(Self);
        }
        let start: String = name.chars().take(64).collect();
        Err(serde::de::Error::custom(format!(
            "this is {start:?}, and only {:?} can be read; use the whybox that wrote it",
            Report::SCHEMA
        )))
    }
}

impl schemars::JsonSchema for SchemaName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SchemaName".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "const": Report::SCHEMA})
    }
}

/// Why a report cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The text is no report of this version; says where and why.
    #[error("cannot read the report: {0}")]
    Read(#[source] serde_json::Error),
    /// It cannot be written as JSON.
    #[error("cannot write the report: {0}")]
    Write(#[source] serde_json::Error),
}

impl Report {
    /// The name and version of the format.
    pub const SCHEMA: &'static str = "whybox-record/1";

    /// The report of a run.
    #[must_use]
    pub fn new(run: Run, violations: Violations) -> Self {
        Self {
            schema: SchemaName,
            run,
            complete: violations.complete,
            dropped: violations.dropped,
            coverage: violations.coverage.clone(),
            violations: violations.into_entries(),
        }
    }

    /// The record in it.
    #[must_use]
    pub fn into_violations(self) -> Violations {
        Violations::new(self.violations, self.dropped, self.coverage, self.complete)
    }

    /// Reads a report.
    ///
    /// # Errors
    /// [`ReportError::Read`], with line and column, where the text is no JSON or not a
    /// report of this version.
    pub fn from_json(text: &str) -> Result<Self, ReportError> {
        serde_json::from_str(text).map_err(ReportError::Read)
    }

    /// The report as JSON, indented, with a newline at the end, and without any
    /// character that a terminal would obey.
    ///
    /// # Errors
    /// None that this crate's own types can cause.
    pub fn to_json(&self) -> Result<String, ReportError> {
        let mut text = serde_json::to_string_pretty(self).map_err(ReportError::Write)?;
        text.push('\n');
        Ok(text::plain_json(text))
    }

    /// The JSON Schema of the format.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(Self).into()
    }
}
