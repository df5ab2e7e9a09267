//! The published description of the file format.

use crate::Policy;

impl Policy {
    /// The JSON Schema (2020-12) of the file format, for JSON and for TOML read as JSON.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        // The text is part of the program, and a test reads it.
        serde_json::from_str(include_str!("../schema/policy.schema.json")).unwrap_or_default()
    }
}
