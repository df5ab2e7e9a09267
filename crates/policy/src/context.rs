//! What paths in a policy are relative to: home, working directory, repository.

use std::path::{Path, PathBuf};

use crate::repository::{self, Repository};
use crate::{ErrorKind, PolicyError};

/// The values of `~`, `$HOME`, `$CWD`, `$REPO` and `$XDG_*` that a policy is read with.
///
/// ```
/// use whybox_policy::Context;
/// let ctx = Context::new("/home/u/app").with_home("/home/u");
/// assert_eq!(ctx.variable("XDG_CACHE_HOME").unwrap().to_str(), Some("/home/u/.cache"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    cwd: PathBuf,
    home: Option<PathBuf>,
    xdg: Vec<(String, PathBuf)>,
    repository: Option<PathBuf>,
    repository_common: Option<PathBuf>,
    /// Whether this is the context of a preset, in which `$CWD` must not be too wide.
    of_preset: bool,
}

/// The XDG directories and their defaults beneath the home directory.
const XDG: &[(&str, Option<&str>)] = &[
    ("XDG_CONFIG_HOME", Some(".config")),
    ("XDG_CACHE_HOME", Some(".cache")),
    ("XDG_DATA_HOME", Some(".local/share")),
    ("XDG_STATE_HOME", Some(".local/state")),
    // The specification gives no default for this one.
    ("XDG_RUNTIME_DIR", None),
];

impl Context {
    /// The variables that a path may start with.
    pub const VARIABLES: &'static [&'static str] = &[
        "HOME",
        "CWD",
        "REPO",
        "REPO_COMMON",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
    ];

    /// A context with a working directory and nothing else.
    #[must_use]
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Context {
            cwd: cwd.into(),
            home: None,
            xdg: Vec::new(),
            repository: None,
            repository_common: None,
            of_preset: false,
        }
    }

    /// The context of this process: its working directory and environment, and the git repository around it.
    ///
    /// # Errors
    /// The working directory cannot be determined.
    pub fn from_process() -> Result<Self, PolicyError> {
        let cwd = std::env::current_dir().map_err(|e| {
            PolicyError::new(
                ErrorKind::Io,
                format!("cannot find the working directory: {e}"),
            )
        })?;
        let mut ctx = Context::new(cwd);
        if let Some(home) = std::env::var_os("HOME")
            .map(PathBuf::from)
            .filter(|h| h.is_absolute())
        {
            ctx.home = Some(home);
        }
        for (name, _) in XDG {
            // The XDG specification tells to ignore relative ones.
            if let Some(path) = std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|p| p.is_absolute())
            {
                ctx.xdg.push(((*name).to_owned(), path));
            }
        }
        Ok(ctx.with_enclosing_repository())
    }

    /// Looks for the git repository around the working directory. One whose root is the home directory, or above it,
    /// is not taken, and neither is one of another user's, or one that a `.git` file merely claims.
    #[must_use]
    pub fn with_enclosing_repository(mut self) -> Self {
        let found = repository::find(&self.cwd, self.home.as_deref());
        (self.repository, self.repository_common) = match found {
            Some(Repository { root, common }) => (Some(root), Some(common)),
            None => (None, None),
        };
        self
    }

    /// Sets the home directory.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Sets the enclosing repository and its common directory (`.git` of the main working tree).
    #[must_use]
    pub fn with_repository(mut self, root: impl Into<PathBuf>, common: impl Into<PathBuf>) -> Self {
        self.repository = Some(root.into());
        self.repository_common = Some(common.into());
        self
    }

    /// Sets one of the `XDG_*` directories.
    #[must_use]
    pub fn with_xdg(mut self, name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.xdg.push((name.into(), path.into()));
        self
    }

    /// The working directory.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Whether the working directory is `/`, the home directory, or above it. Presets grant no such directory: it
    /// would make everything writable that they keep from being read. A caller says so, and grants it by name.
    ///
    /// ```
    /// use whybox_policy::{Access, Context, Policy};
    /// let ctx = Context::new("/home/u").with_home("/home/u");
    /// assert!(ctx.is_cwd_too_wide());
    /// let policy = Policy::preset("agent", &ctx)?;
    /// assert!(!policy.decide(Access::Read, "/home/u/.ssh/id_rsa").allowed);
    /// # Ok::<(), whybox_policy::PolicyError>(())
    /// ```
    #[must_use]
    pub fn is_cwd_too_wide(&self) -> bool {
        self.cwd == Path::new("/")
            || self
                .home
                .as_ref()
                .is_some_and(|home| home.starts_with(&self.cwd))
    }

    /// The same context, for reading a preset.
    pub(crate) fn of_preset(&self) -> Self {
        Context {
            of_preset: true,
            ..self.clone()
        }
    }

    /// The home directory.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The root of the git working tree around the working directory.
    #[must_use]
    pub fn repository(&self) -> Option<&Path> {
        self.repository.as_deref()
    }

    /// The git directory that all working trees of that repository share.
    #[must_use]
    pub fn repository_common(&self) -> Option<&Path> {
        self.repository_common.as_deref()
    }

    /// The value of a variable in a path; `None` when it is unknown or has no value here.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<PathBuf> {
        match name {
            "HOME" => self.home.clone(),
            "CWD" if self.of_preset && self.is_cwd_too_wide() => None,
            "CWD" => Some(self.cwd.clone()),
            "REPO" => self.repository.clone(),
            "REPO_COMMON" => self.repository_common.clone(),
            _ => {
                let (_, default) = XDG.iter().find(|(n, _)| *n == name)?;
                match self.xdg.iter().rev().find(|(n, _)| n == name) {
                    Some((_, path)) => Some(path.clone()),
                    None => Some(self.home.as_ref()?.join((*default)?)),
                }
            }
        }
    }
}
