//! What `stat` answers. It steers programs: shells look for the first file
//! that seems executable, and fail on it instead of going on, so nothing here
//! ever seems usable.

use rustix::fs::{FileType, Stat};

/// What a node is shown as. Pipes, sockets and devices are shown as files: a
/// pipe would hang its opener without asking the ghost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum NodeKind {
    /// A directory.
    Directory,
    /// A regular file, or anything that is shown as one.
    File,
    /// A symbolic link.
    Symlink,
}

impl NodeKind {
    /// How something of the host is shown.
    pub(crate) fn of(stat: &Stat) -> Self {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Symlink,
            _ => Self::File,
        }
    }

    fn bits(self) -> u32 {
        match self {
            Self::Directory => 0o040_000,
            Self::File => 0o100_000,
            Self::Symlink => 0o120_000,
        }
    }
}

/// The attributes of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) mode: u32,
    pub(super) size: u64,
    pub(super) blocks: u64,
    pub(super) links: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// Seconds (two's complement) and nanoseconds.
    pub(super) accessed: (u64, u32),
    pub(super) modified: (u64, u32),
    pub(super) changed: (u64, u32),
}

/// Permission bits of what is shown and not granted.
pub(super) fn permissions(kind: NodeKind) -> u32 {
    match kind {
        NodeKind::Directory => 0o111,
        NodeKind::File => 0,
        NodeKind::Symlink => 0o777,
    }
}

impl Attributes {
    /// True type, size, owner and times of what the host has, with the
    /// permission bits given.
    pub(super) fn of_host(stat: &Stat, permissions: u32) -> Self {
        Self {
            mode: NodeKind::of(stat).bits() | permissions,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            blocks: u64::try_from(stat.st_blocks).unwrap_or(0),
            // 0 links would say that the name is gone.
            links: u32::try_from(stat.st_nlink).unwrap_or(u32::MAX).max(1),
            uid: stat.st_uid,
            gid: stat.st_gid,
            accessed: (stat.st_atime as u64, stat.st_atime_nsec as u32),
            modified: (stat.st_mtime as u64, stat.st_mtime_nsec as u32),
            changed: (stat.st_ctime as u64, stat.st_ctime_nsec as u32),
        }
    }

    /// What tells one link of a name from the next.
    pub(super) fn stamp(&self, kind: NodeKind) -> u64 {
        let (seconds, nanoseconds) = self.changed;
        match kind {
            NodeKind::Symlink => {
                seconds
                    .wrapping_mul(1_000_000_000)
                    .wrapping_add(u64::from(nanoseconds))
                    ^ self.size.rotate_left(48)
            }
            _ => 0,
        }
    }

    /// Nothing but the kind: for what is hidden, and for what the host is not
    /// asked about.
    pub(super) fn blank(kind: NodeKind, permissions: u32, uid: u32, gid: u32) -> Self {
        let never = (0, 0);
        Self {
            mode: kind.bits() | permissions,
            size: 0,
            blocks: 0,
            links: 1,
            uid,
            gid,
            accessed: never,
            modified: never,
            changed: never,
        }
    }
}
