//! A fingerprint of what a policy says, not of how it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;

use sha2::{Digest as _, Sha256};

use crate::format::Limit;
use crate::{Environment, EnvironmentMode, Pattern, Policy, RuleKind, expand};

/// Names the canonical form; changes when it does.
const FORM: &str = "whybox-policy-digest/1";

impl Policy {
    /// SHA-256 (hex) of the canonical policy: equal for equal policies, whatever file, order or spelling they came
    /// from.
    ///
    /// ```
    /// use whybox_policy::{Context, Policy};
    /// let ctx = Context::new("/home/u/app").with_home("/home/u");
    /// let one = Policy::builder(&ctx).read("~/data/").write(".").build()?;
    /// let two = Policy::builder(&ctx).write("/home/u/app").read("../data").build()?;
    /// assert_eq!(one.digest(), two.digest());
    /// # Ok::<(), whybox_policy::PolicyError>(())
    /// ```
    #[must_use]
    pub fn digest(&self) -> String {
        let mut canonical = Canonical(Sha256::new());
        canonical.field(FORM.as_bytes());
        for (pattern, kinds) in self.canonical_rules() {
            for kind in kinds {
                canonical.field(kind.as_str().as_bytes());
                match pattern {
                    Pattern::Path(path) => canonical.field(path.as_os_str().as_bytes()),
                    Pattern::Glob(glob) => {
                        canonical.field(glob.base().as_os_str().as_bytes());
                        canonical.field(b"glob");
                        canonical.field(glob.pattern().as_bytes());
                    }
                }
            }
        }
        canonical.environment(self.environment());
        for word in [
            self.network().as_str(),
            self.tmp().as_str(),
            self.lifetime().as_str(),
            self.terminal().as_str(),
        ] {
            canonical.field(word.as_bytes());
        }
        for (key, value) in Limit::values(self.limits()) {
            canonical.field(key.as_bytes());
            canonical.field(value.to_string().as_bytes());
        }
        expand::to_hex(&canonical.0.finalize())
    }

    /// The kinds of rules on each pattern, without a `read` that another grant implies.
    fn canonical_rules(&self) -> BTreeMap<&Pattern, BTreeSet<RuleKind>> {
        let mut rules: BTreeMap<&Pattern, BTreeSet<RuleKind>> = BTreeMap::new();
        for rule in self.rules() {
            rules.entry(rule.pattern()).or_default().insert(rule.kind());
        }
        for kinds in rules.values_mut() {
            if kinds.contains(&RuleKind::Write) || kinds.contains(&RuleKind::Exec) {
                kinds.remove(&RuleKind::Read);
            }
        }
        rules
    }
}

/// Fields with their lengths, so that no two lists of fields give the same bytes.
struct Canonical(Sha256);

impl Canonical {
    fn field(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn environment(&mut self, environment: &Environment) {
        self.field(environment.mode().as_str().as_bytes());
        if environment.mode() == EnvironmentMode::Pass {
            // What is passed depends on the table.
            self.field(&Environment::SECRET_NAMES_VERSION.to_le_bytes());
        }
        for name in environment.allowed() {
            self.field(b"allow");
            self.field(name.as_bytes());
        }
        for (name, value) in environment.assigned() {
            self.field(b"set");
            self.field(name.as_bytes());
            self.field(value.as_bytes());
        }
    }
}
