//! Globs: a literal directory and a pattern beneath it.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::{ErrorKind, PolicyError};

/// A glob: a literal directory, and a pattern (`*`, `?`, `[]`, `{}`, `**`) for what is beneath it.
///
/// It covers what matches and everything beneath that. `*` and `?` stay within one component.
#[derive(Clone, Debug)]
pub struct Glob {
    base: PathBuf,
    glob: globset::Glob,
}

fn bad(pattern: &str, error: &globset::Error) -> PolicyError {
    PolicyError::new(
        ErrorKind::Glob,
        format!("bad glob {pattern:?}: {}", error.kind()),
    )
}

impl Glob {
    /// A glob beneath `base`, which must be absolute and normal.
    pub(crate) fn new(base: PathBuf, pattern: &str) -> Result<Self, PolicyError> {
        let glob = globset::GlobBuilder::new(pattern)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .build()
            .map_err(|e| bad(pattern, &e))?;
        // Also compiles it, which may find it too large; what is accepted here can be relied on later.
        globset::GlobSet::new([&glob]).map_err(|e| bad(pattern, &e))?;
        Ok(Glob { base, glob })
    }

    /// The literal directory that everything it matches is beneath.
    #[must_use]
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// The pattern, relative to the base.
    #[must_use]
    pub fn pattern(&self) -> &str {
        self.glob.glob()
    }

    /// Whether `path` itself matches (not: is beneath a match). Compiles the glob: for one question.
    #[must_use]
    pub fn is_match(&self, path: &Path) -> bool {
        self.matcher().is_match(path)
    }

    /// The glob, compiled for many questions.
    ///
    /// ```
    /// use std::path::Path;
    /// use whybox_policy::{Context, Pattern};
    ///
    /// let pattern = Pattern::parse("src/**/*.key".as_ref(), Path::new("/w"), &Context::new("/w"))?;
    /// let Pattern::Glob(glob) = pattern else { unreachable!() };
    /// assert_eq!(glob.base(), Path::new("/w/src"));
    /// let matcher = glob.matcher();
    /// assert!(matcher.is_match(Path::new("/w/src/a/b.key")));
    /// assert!(!matcher.is_match(Path::new("/w/b.key")));
    /// # Ok::<(), whybox_policy::PolicyError>(())
    /// ```
    #[must_use]
    pub fn matcher(&self) -> GlobMatcher {
        GlobMatcher {
            base: self.base.clone(),
            set: self.set(),
        }
    }

    pub(crate) const fn inner(&self) -> &globset::Glob {
        &self.glob
    }

    /// The glob, compiled alone.
    pub(crate) fn set(&self) -> globset::GlobSet {
        // It was compiled once when it was made, so it never is the empty set.
        globset::GlobSet::new([&self.glob]).unwrap_or_default()
    }
}

/// A compiled [`Glob`].
#[derive(Clone, Debug)]
pub struct GlobMatcher {
    base: PathBuf,
    set: globset::GlobSet,
}

impl GlobMatcher {
    /// Whether `path` itself matches (not: is beneath a match).
    #[must_use]
    pub fn is_match(&self, path: &Path) -> bool {
        path.strip_prefix(&self.base)
            .is_ok_and(|rest| !rest.as_os_str().is_empty() && self.set.is_match(rest))
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Glob {}

impl PartialOrd for Glob {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Glob {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (&self.base, self.pattern()).cmp(&(&other.base, other.pattern()))
    }
}

impl Hash for Glob {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.base.hash(state);
        self.pattern().hash(state);
    }
}
