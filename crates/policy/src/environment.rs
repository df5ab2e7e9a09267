//! Which environment variables a run gets.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

use crate::settings::choice;

choice! {
    /// What happens to variables that no list names.
    EnvironmentMode {
        /// They are dropped.
        #[default]
        Allow = "allow",
        /// They are passed on, unless their name looks like a secret's.
        Pass = "pass",
    }
}

/// Which environment variables a run gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    mode: EnvironmentMode,
    allow: BTreeSet<String>,
    set: BTreeMap<OsString, OsString>,
}

/// The variables of a run, and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResolvedEnvironment {
    /// The variables that the run gets, sorted by name.
    pub vars: Vec<(OsString, OsString)>,
    /// The names of those that it does not get, sorted. Never their values.
    pub dropped: Vec<OsString>,
}

impl Environment {
    /// No variables but those named later.
    #[must_use]
    pub fn empty() -> Self {
        Environment::default()
    }

    /// Every variable but those whose name looks like a secret's.
    #[must_use]
    pub fn pass() -> Self {
        Environment { mode: EnvironmentMode::Pass, ..Environment::default() }
    }

    /// Passes on `name`, also when it looks like a secret's; it may end in `*`.
    pub fn allow(&mut self, name: impl Into<String>) -> &mut Self {
        self.allow.insert(name.into());
        self
    }

    /// Sets a variable, whatever the caller's environment says.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> &mut Self {
        self.set.insert(name.into(), value.into());
        self
    }

    /// What happens to variables that no list names.
    #[must_use]
    pub const fn mode(&self) -> EnvironmentMode {
        self.mode
    }

    /// The variables of a run whose caller has `vars`.
    #[must_use]
    pub fn resolve(&self, vars: impl Iterator<Item = (OsString, OsString)>) -> ResolvedEnvironment {
        let mut kept: BTreeMap<OsString, OsString> = BTreeMap::new();
        let mut dropped = BTreeSet::new();
        for (name, value) in vars {
            if self.set.contains_key(&name) {
                continue;
            }
            if self.passes(&name) {
                kept.insert(name, value);
            } else {
                dropped.insert(name);
            }
        }
        kept.extend(self.set.iter().map(|(n, v)| (n.clone(), v.clone())));
        ResolvedEnvironment { vars: kept.into_iter().collect(), dropped: dropped.into_iter().collect() }
    }

    fn passes(&self, _name: &OsStr) -> bool {
        self.mode == EnvironmentMode::Pass
    }
}
