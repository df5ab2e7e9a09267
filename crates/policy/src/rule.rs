//! One line of a policy: a kind, a pattern, and where it was written.

use std::fmt;
use std::path::PathBuf;

use crate::{Access, Pattern};

/// What a rule does with the paths that its pattern covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RuleKind {
    /// Grants reading.
    Read,
    /// Grants writing, and reading with it.
    Write,
    /// Grants executing, and reading with it.
    Exec,
    /// Refuses every access.
    Hide,
    /// Refuses writing inside a writable tree; reading stays as granted.
    Protect,
    /// Answers as if nothing were there. Presets use it for optional configuration that programs cannot do without
    /// when it is refused, but can when it is missing. Meant for names that no grant covers: inside a granted tree a
    /// name cannot be taken away, only refused.
    Absent,
}

impl RuleKind {
    /// All kinds, in order.
    pub const ALL: [RuleKind; 6] = [
        RuleKind::Read,
        RuleKind::Write,
        RuleKind::Exec,
        RuleKind::Hide,
        RuleKind::Protect,
        RuleKind::Absent,
    ];

    /// The word used in files and, after `--`, on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            RuleKind::Read => "read",
            RuleKind::Write => "write",
            RuleKind::Exec => "exec",
            RuleKind::Hide => "hide",
            RuleKind::Protect => "protect",
            RuleKind::Absent => "absent",
        }
    }

    /// Whether this kind gives access (`read`, `write`, `exec`); the others take it.
    #[must_use]
    pub const fn is_grant(self) -> bool {
        matches!(self, RuleKind::Read | RuleKind::Write | RuleKind::Exec)
    }

    /// Whether a rule of this kind gives `access`.
    ///
    /// ```
    /// use whybox_policy::{Access, RuleKind};
    /// assert!(RuleKind::Exec.grants(Access::Read));
    /// assert!(!RuleKind::Exec.grants(Access::Write));
    /// ```
    #[must_use]
    pub const fn grants(self, access: Access) -> bool {
        match access {
            Access::Read => self.is_grant(),
            Access::Write => matches!(self, RuleKind::Write),
            Access::Exec => matches!(self, RuleKind::Exec),
        }
    }

    /// Whether a rule of this kind takes `access`.
    #[must_use]
    pub const fn denies(self, access: Access) -> bool {
        match self {
            RuleKind::Hide | RuleKind::Absent => true,
            RuleKind::Protect => matches!(access, Access::Write),
            _ => false,
        }
    }
}

impl fmt::Display for RuleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a rule was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Source {
    /// whybox itself.
    Builtin,
    /// A preset.
    Preset {
        /// Its name.
        name: String,
        /// The version of its data.
        version: u32,
    },
    /// A policy file.
    File {
        /// The file, as it was named.
        path: PathBuf,
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
    },
    /// A flag on the command line.
    Flag,
    /// A call of the library.
    Api,
}

impl Source {
    /// Whose word counts more when two sources name exactly the same path: flags and calls over files, files over presets.
    pub(crate) const fn rank(&self) -> u8 {
        match self {
            Source::Builtin => 0,
            Source::Preset { .. } => 1,
            Source::File { .. } => 2,
            Source::Flag | Source::Api => 3,
        }
    }
}

/// One rule of a policy.
///
/// It displays as its author would recognise it: `--hide .env`, `hide ".env" (whybox.toml:7)`, `preset agent`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    pattern: Pattern,
    kind: RuleKind,
    source: Source,
    written: String,
}

impl Rule {
    /// A rule; `written` is the author's own spelling of the pattern.
    #[must_use]
    pub fn new(
        kind: RuleKind,
        pattern: Pattern,
        written: impl Into<String>,
        source: Source,
    ) -> Self {
        Rule {
            pattern,
            kind,
            source,
            written: written.into(),
        }
    }

    /// What it does.
    #[must_use]
    pub const fn kind(&self) -> RuleKind {
        self.kind
    }

    /// Which paths it covers.
    #[must_use]
    pub const fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The pattern as its author wrote it; bytes that are not UTF-8 appear as U+FFFD.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Where it was written.
    #[must_use]
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// The same rule, same author's spelling and source, for another pattern (the resolved spelling of a symlink).
    #[must_use]
    pub fn with_pattern(&self, pattern: Pattern) -> Self {
        Rule {
            pattern,
            ..self.clone()
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Flag if is_plain(&self.written) => {
                write!(f, "--{} {}", self.kind, self.written)
            }
            Source::Flag => write!(f, "--{} {:?}", self.kind, self.written),
            Source::Preset { name, .. } => write!(f, "preset {name}"),
            Source::File { path, line, .. } => {
                // The name alone: a reason is one short line, and the source keeps the whole path.
                let name = path
                    .file_name()
                    .unwrap_or(path.as_os_str())
                    .to_string_lossy();
                write!(
                    f,
                    "{} {:?} ({}:{line})",
                    self.kind,
                    self.written,
                    name.escape_debug()
                )
            }
            Source::Api => write!(f, "{} {:?}", self.kind, self.written),
            Source::Builtin => write!(f, "{} {:?} (built in)", self.kind, self.written),
        }
    }
}

/// Whether a word may stand in a line without quotes.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && !word
            .chars()
            .any(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')'))
        && word.escape_debug().eq(word.chars())
}
