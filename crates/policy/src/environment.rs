//! Which environment variables a run gets.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::secret_names;
use crate::settings::choice;
use crate::{ErrorKind, PolicyError};

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
///
/// ```
/// use whybox_policy::Environment;
/// let mut environment = Environment::pass();
/// environment.allow("GITHUB_TOKEN")?.set("TMPDIR", "/tmp")?;
///
/// let vars = [("HOME", "/home/u"), ("GITHUB_TOKEN", "t"), ("NPM_TOKEN", "n")];
/// let resolved = environment.resolve(vars.into_iter().map(|(n, v)| (n.into(), v.into())));
/// let names: Vec<_> = resolved.vars.iter().map(|(name, _)| name.to_str().unwrap()).collect();
/// assert_eq!(names, ["GITHUB_TOKEN", "HOME", "TMPDIR"]);
/// assert_eq!(resolved.dropped, ["NPM_TOKEN"]);
/// # Ok::<(), whybox_policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    mode: EnvironmentMode,
    allow: BTreeSet<String>,
    set: BTreeMap<String, OsString>,
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

fn error(text: String) -> PolicyError {
    PolicyError::new(ErrorKind::Value, text)
}

impl Environment {
    /// The version of the table of names that look like a secret's.
    pub const SECRET_NAMES_VERSION: u32 = secret_names::VERSION;

    /// Nothing named yet.
    #[must_use]
    pub fn new(mode: EnvironmentMode) -> Self {
        Environment {
            mode,
            ..Environment::default()
        }
    }

    /// No variables but those named later.
    #[must_use]
    pub fn empty() -> Self {
        Environment::new(EnvironmentMode::Allow)
    }

    /// Every variable but those whose name looks like a secret's.
    #[must_use]
    pub fn pass() -> Self {
        Environment::new(EnvironmentMode::Pass)
    }

    /// Passes on `name`, also when it looks like a secret's. It may end in `*`.
    ///
    /// # Errors
    /// It is no name of a variable.
    pub fn allow(&mut self, name: &str) -> Result<&mut Self, PolicyError> {
        check_name(
            name.strip_suffix('*')
                .filter(|stem| !stem.is_empty())
                .unwrap_or(name),
        )?;
        self.allow.insert(name.to_owned());
        Ok(self)
    }

    /// Sets a variable, whatever the caller's environment says.
    ///
    /// # Errors
    /// `name` is no name of a variable, or the value has a NUL byte.
    pub fn set(
        &mut self,
        name: &str,
        value: impl Into<OsString>,
    ) -> Result<&mut Self, PolicyError> {
        check_name(name)?;
        let value = value.into();
        if value.as_bytes().contains(&0) {
            return Err(error(format!(
                "the value of variable {name:?} has a NUL byte, which none can have"
            )));
        }
        self.set.insert(name.to_owned(), value);
        Ok(self)
    }

    /// What happens to variables that no list names.
    #[must_use]
    pub const fn mode(&self) -> EnvironmentMode {
        self.mode
    }

    /// The names that are passed on, some with a `*` at the end.
    pub fn allowed(&self) -> impl Iterator<Item = &str> {
        self.allow.iter().map(String::as_str)
    }

    /// The variables that are set.
    pub fn assigned(&self) -> impl Iterator<Item = (&str, &OsStr)> {
        self.set
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_os_str()))
    }

    /// The variables of a run whose caller has `vars`.
    #[must_use]
    pub fn resolve(&self, vars: impl Iterator<Item = (OsString, OsString)>) -> ResolvedEnvironment {
        let mut kept: BTreeMap<OsString, OsString> = BTreeMap::new();
        let mut dropped = BTreeSet::new();
        for (name, value) in vars {
            if self.passes(&name) {
                kept.insert(name, value);
            } else if !self.set.contains_key(&*name.to_string_lossy()) {
                dropped.insert(name);
            }
        }
        kept.extend(
            self.set
                .iter()
                .map(|(name, value)| (name.into(), value.clone())),
        );
        ResolvedEnvironment {
            vars: kept.into_iter().collect(),
            dropped: dropped.into_iter().collect(),
        }
    }

    fn passes(&self, name: &OsStr) -> bool {
        let named = |pattern: &String| match pattern.strip_suffix('*') {
            Some(start) => name.as_bytes().starts_with(start.as_bytes()),
            None => name.as_bytes() == pattern.as_bytes(),
        };
        self.allow.iter().any(named)
            || (self.mode == EnvironmentMode::Pass && !secret_names::is_secret(name.as_bytes()))
    }
}

fn check_name(name: &str) -> Result<(), PolicyError> {
    if name.is_empty() || name.contains(['=', '\0']) || (name.len() > 1 && name.contains('*')) {
        let text = format!(
            "{name:?} cannot name a variable: it is empty, or has `=`, a NUL byte, or `*` before its end"
        );
        return Err(error(text));
    }
    Ok(())
}
