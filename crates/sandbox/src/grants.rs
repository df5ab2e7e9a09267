//! Paths for one spawn.

use std::path::{Path, PathBuf};

use whybox_policy::{Pattern, Policy, PolicyError, Rule, RuleKind, Source};

/// Paths that one spawn may use besides what the cage's policy grants. They only add: what the policy hides stays
/// hidden, unless the grant lies deeper.
///
/// ```
/// let grants = whybox::Grants::new().read("/opt/sdk").write("/var/cache/build");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Grants {
    paths: Vec<(RuleKind, PathBuf)>,
}

impl Grants {
    /// None.
    #[must_use]
    pub fn new() -> Grants {
        Grants::default()
    }

    /// Grants reading an absolute path and what lies beneath it.
    #[must_use]
    pub fn read(self, path: impl AsRef<Path>) -> Grants {
        self.with(RuleKind::Read, path.as_ref())
    }

    /// Grants writing, which implies reading.
    #[must_use]
    pub fn write(self, path: impl AsRef<Path>) -> Grants {
        self.with(RuleKind::Write, path.as_ref())
    }

    /// Grants executing, which implies reading.
    #[must_use]
    pub fn exec(self, path: impl AsRef<Path>) -> Grants {
        self.with(RuleKind::Exec, path.as_ref())
    }

    fn with(mut self, kind: RuleKind, path: &Path) -> Grants {
        self.paths.push((kind, path.to_path_buf()));
        self
    }

    /// The policy with these grants.
    pub(crate) fn on(&self, policy: &Policy) -> Result<Policy, PolicyError> {
        let mut policy = policy.clone();
        for (kind, path) in &self.paths {
            let rule = Rule::new(
                *kind,
                Pattern::path(path)?,
                path.to_string_lossy(),
                Source::Api,
            );
            policy = policy.with_path_rule(rule);
        }
        Ok(policy)
    }
}
