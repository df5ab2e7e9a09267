//! What one cage sees of the host's names.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use whybox_policy::{Access, Decider, Reason};

use super::attributes::NodeKind;

/// What one cage sees of the host's names.
#[derive(Debug)]
pub(crate) struct View {
    /// The policy.
    pub(crate) decider: Decider,
    /// Every mount point of the cage with its kind. They and all directories
    /// above them are there from the start, and for ever, whatever the host
    /// does.
    pub(crate) fixed: Vec<(PathBuf, NodeKind)>,
    /// Directories of which the cage has its own, on top of the ghost's: what
    /// no rule mentions beneath them seems not to exist.
    pub(crate) shadow: Vec<PathBuf>,
    /// The kinds that hidden paths had at the start; of others the host is
    /// asked.
    pub(crate) hidden: HashMap<PathBuf, NodeKind>,
    /// The user of the cage, as its user namespace calls it.
    pub(crate) uid: u32,
    /// The group of the cage.
    pub(crate) gid: u32,
    /// Whether probes of the quiet list leave no entry.
    pub(crate) quiet: bool,
}

/// How a name stands that is no mount point and above none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Shown, without permissions.
    Shown,
    /// A rule hides it: that something is there is shown, and nothing else.
    Hidden,
    /// Beneath something hidden: not even whether it exists is told.
    Concealed,
    /// A rule makes it seem not to exist.
    Absent,
    /// The cage has its own directory in its place.
    Shadowed,
}

impl View {
    /// How `path` stands.
    pub(super) fn standing(&self, path: &[u8]) -> Standing {
        let decision = self.decider.decide(Access::Read, as_path(path));
        match decision.reason {
            Reason::Absent => Standing::Absent,
            Reason::Hidden if self.hides(parent(path)) => Standing::Concealed,
            Reason::Hidden => Standing::Hidden,
            _ if self.is_shadow(path) => Standing::Shadowed,
            _ => Standing::Shown,
        }
    }

    /// Whether a rule hides `path`.
    pub(super) fn hides(&self, path: &[u8]) -> bool {
        matches!(
            self.decider.decide(Access::Read, as_path(path)).reason,
            Reason::Hidden | Reason::Absent
        )
    }

    /// Whether `path` is a shadow directory or beneath one.
    pub(super) fn is_shadow(&self, path: &[u8]) -> bool {
        self.shadow
            .iter()
            .any(|root| super::mounts::is_within(path, root.as_os_str().as_bytes()))
    }

    /// Whether `path` is itself a shadow directory.
    pub(super) fn is_shadow_root(&self, path: &[u8]) -> bool {
        self.shadow
            .iter()
            .any(|root| root.as_os_str().as_bytes() == path)
    }
}

/// A path from bytes.
pub(super) fn as_path(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

/// The directory of an absolute path; the root is its own.
pub(super) fn parent(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(slash) if slash > 0 => path.get(..slash).unwrap_or(b"/"),
        _ => b"/",
    }
}
