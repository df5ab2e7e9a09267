//! Copies of files whose owner matters.

use crate::mounts::{Failure, Mounts, move_to, new};
use crate::sys;
use alloc::ffi::CString;
use alloc::vec::Vec;
use core::ffi::CStr;
use rustix::fd::AsFd;
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::mount::MountAttrFlags;

/// Builds a read-only directory: part 1 the tmpfs, 2 a file, 3 its place.
pub(crate) fn mount(
    mounts: &Mounts,
    at: &CStr,
    files: &[(CString, Vec<u8>)],
) -> Result<(), Failure> {
    let part = |part| move |errno| Failure { part, errno };
    let quiet = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let tmpfs = new(c"tmpfs", &[("mode", "755"), ("size", "1m")], quiet).map_err(part(1))?;
    for (name, content) in files {
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file =
            openat(tmpfs.as_fd(), name.as_c_str(), flags, Mode::from(0o644)).map_err(part(2))?;
        rustix::fs::fchmod(&file, Mode::from(0o644)).map_err(part(2))?;
        if rustix::io::write(&file, content).map_err(part(2))? != content.len() {
            return Err(Failure {
                part: 2,
                errno: Errno::NOSPC,
            });
        }
    }
    sys::mount_setattr(
        tmpfs.as_fd(),
        MountAttrFlags::MOUNT_ATTR_RDONLY.bits().into(),
    )
    .map_err(part(3))?;
    move_to(tmpfs.as_fd(), mounts.base()?, at).map_err(part(3))
}
