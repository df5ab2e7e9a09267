//! Namespaces and id maps.

use crate::mounts::Failure;
use core::ffi::CStr;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// See unshare(2).
pub(crate) fn enter(flags: u32) -> Result<(), Errno> {
    // SAFETY: one thread, and no flag that shares less memory or fewer descriptors than it expects.
    unsafe { unshare_unsafe(UnshareFlags::from_bits_retain(flags)) }
}

/// Writes the id maps of this process. Part 1 is `setgroups`, 2 the users, 3 the groups.
pub(crate) fn map(uid_map: &CStr, gid_map: &CStr, deny_setgroups: bool) -> Result<(), Failure> {
    if deny_setgroups {
        write(c"/proc/self/setgroups", b"deny").map_err(|errno| Failure { part: 1, errno })?;
    }
    write(c"/proc/self/uid_map", uid_map.to_bytes()).map_err(|errno| Failure { part: 2, errno })?;
    write(c"/proc/self/gid_map", gid_map.to_bytes()).map_err(|errno| Failure { part: 3, errno })
}

fn write(path: &CStr, text: &[u8]) -> Result<(), Errno> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    match rustix::io::write(&file, text)? {
        written if written == text.len() => Ok(()),
        _ => Err(Errno::IO),
    }
}
