//! Landlock as the kernel has it; see landlock(7) and the kernel's `userspace-api/landlock`.

use whybox_init::{Landlock, PathAccess};

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
/// Removing and making names: directories, files, devices, sockets, pipes, links.
const NAMES: u64 = 0b1_1111_1111 << 4;
/// Moving and linking between directories; version 2.
const REFER: u64 = 1 << 13;
const SCOPE_ABSTRACT_UNIX_SOCKET: u64 = 1;
const SCOPE_SIGNAL: u64 = 1 << 1;

/// The version that the kernel has, 0 without Landlock.
pub(crate) fn version() -> u32 {
    super::raw::landlock_version()
}

/// What a path allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allowed {
    pub(crate) path: std::ffi::CString,
    /// Writing files.
    pub(crate) write: bool,
    /// Making and removing names.
    pub(crate) names: bool,
    pub(crate) exec: bool,
}

/// The ruleset for what the mounts allow.
///
/// Reading, truncating and device requests are not handled: the mounts are the boundary of reads, and
/// handling those would cost every open (1.42 instead of 1.15 times its time).
pub(crate) fn ruleset(version: u32, allowed: &[Allowed]) -> Landlock {
    let refer = if version >= 2 { REFER } else { 0 };
    let rules = allowed
        .iter()
        .map(|one| PathAccess {
            path: one.path.clone(),
            access: if one.write { WRITE_FILE } else { 0 }
                | if one.names { NAMES | refer } else { 0 }
                | if one.exec { EXECUTE } else { 0 },
        })
        .filter(|rule| rule.access != 0)
        .collect();
    Landlock {
        handled: EXECUTE | WRITE_FILE | NAMES | refer,
        scoped: if version >= 6 {
            SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL
        } else {
            0
        },
        flags: 0,
        rules,
        stdio: WRITE_FILE,
    }
}

/// Whether signals stay within the cage even where a process group reaches out of it.
pub(crate) fn scopes_signals(version: u32) -> bool {
    version >= 6
}
