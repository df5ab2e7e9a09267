//! What is in no entry.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Class, class};

/// How many events are in no entry, because the record was full for them: a
/// count per class, of every such event (V10, X6).
///
/// ```
/// use whybox_record::{Class, Dropped};
/// let dropped = Dropped::default();
/// assert_eq!(dropped.get(Class::FileRead), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<Class, u64>", into = "BTreeMap<Class, u64>")]
pub struct Dropped {
    counts: [u64; Class::ALL.len()],
}

impl Dropped {
    /// The count of a class.
    #[must_use]
    pub fn get(&self, class: Class) -> u64 {
        self.counts.get(class as usize).copied().unwrap_or(0)
    }

    /// The count of all classes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// Counts more of a class, as a merge of records does.
    pub fn add(&mut self, class: Class, more: u64) {
        if let Some(count) = self.counts.get_mut(class as usize) {
            *count = count.saturating_add(more);
        }
    }

    /// Every class with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Class, u64)> + '_ {
        Class::ALL.iter().copied().zip(self.counts)
    }
}

impl From<BTreeMap<Class, u64>> for Dropped {
    fn from(map: BTreeMap<Class, u64>) -> Self {
        let mut dropped = Self::default();
        for (class, count) in map {
            dropped.add(class, count);
        }
        dropped
    }
}

impl From<Dropped> for BTreeMap<Class, u64> {
    fn from(dropped: Dropped) -> Self {
        dropped.iter().collect()
    }
}

impl schemars::JsonSchema for Dropped {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dropped".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        class::map_schema::<u64>(generator)
    }
}
