//! Which paths a rule covers.

use std::ffi::OsStr;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::{Context, ErrorKind, Glob, PolicyError, expand};

/// Which paths a rule covers. Always absolute and lexically normal.
#[derive(Clone, Debug, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Pattern {
    /// That name and everything beneath it.
    Path(PathBuf),
    /// What matches and everything beneath it.
    Glob(Glob),
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // Both are normal, so that equal paths are equal text: no component need be told from the next.
            (Pattern::Path(one), Pattern::Path(other)) => one.as_os_str() == other.as_os_str(),
            (Pattern::Glob(one), Pattern::Glob(other)) => one == other,
            _ => false,
        }
    }
}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Pattern::Path(path) => path.as_os_str().hash(state),
            Pattern::Glob(glob) => glob.hash(state),
        }
    }
}

impl Pattern {
    /// An absolute path taken literally: no variables, no globs. Normalised lexically.
    ///
    /// # Errors
    /// The path is relative or has a NUL byte.
    ///
    /// ```
    /// use whybox_policy::Pattern;
    /// let pattern = Pattern::path("/srv/./app//[id]").unwrap();
    /// assert_eq!(pattern.as_path().unwrap(), "/srv/app/[id]");
    /// assert!(Pattern::path("app").is_err());
    /// ```
    pub fn path(path: impl AsRef<Path>) -> Result<Self, PolicyError> {
        let path = path.as_ref();
        expand::check_bytes(path.as_os_str())?;
        if !path.is_absolute() {
            let text = format!("{path:?} is not absolute; give the whole path, starting with `/`");
            return Err(PolicyError::new(ErrorKind::Path, text));
        }
        Ok(Pattern::Path(expand::normalize(path)))
    }

    /// Reads a pattern as an author writes it: `~`, `$HOME`, `${XDG_CACHE_HOME}` and so on at its start, globs, and
    /// relative to `base`.
    ///
    /// # Errors
    /// It is empty, has a NUL byte, names an unknown variable, or is a bad glob.
    pub fn parse(text: &OsStr, base: &Path, ctx: &Context) -> Result<Self, PolicyError> {
        expand::parse(text, base, ctx)
    }

    /// The literal path, unless it is a glob.
    #[must_use]
    pub fn as_path(&self) -> Option<&Path> {
        match self {
            Pattern::Path(path) => Some(path),
            Pattern::Glob(_) => None,
        }
    }
}
