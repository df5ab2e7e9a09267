//! Namespaces and id maps.

use crate::control;
use crate::mounts::Failure;
use core::ffi::CStr;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::thread::{UnshareFlags, unshare_unsafe};
use whybox_init::{Message, Order};

/// See unshare(2).
pub(crate) fn enter(flags: u32) -> Result<(), Errno> {
    // SAFETY: one thread, and no flag that shares less memory or fewer descriptors than it expects.
    unsafe { unshare_unsafe(UnshareFlags::from_bits_retain(flags)) }
}

/// Writes the id maps of this process. Part 1 is `setgroups`, 2 the users, 3 the groups.
pub(crate) fn map(uid_map: &CStr, gid_map: &CStr) -> Result<(), Failure> {
    write(c"/proc/self/setgroups", b"deny").map_err(|errno| Failure { part: 1, errno })?;
    write(c"/proc/self/uid_map", uid_map.to_bytes()).map_err(|errno| Failure { part: 2, errno })?;
    write(c"/proc/self/gid_map", gid_map.to_bytes()).map_err(|errno| Failure { part: 3, errno })
}

/// Lets the harness write them: part 4 is asking, 5 its word that it did.
pub(crate) fn mapped() -> Result<(), Failure> {
    control::send(Message::Unmapped, None).map_err(|errno| Failure { part: 4, errno })?;
    match control::wait() {
        Some(Order::Mapped) => Ok(()),
        _ => Err(Failure {
            part: 5,
            errno: Errno::PERM,
        }),
    }
}

fn write(path: &CStr, text: &[u8]) -> Result<(), Errno> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    match rustix::io::write(&file, text)? {
        written if written == text.len() => Ok(()),
        _ => Err(Errno::IO),
    }
}
