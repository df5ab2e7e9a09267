//! The small `/dev`.

use crate::mounts::{Failure, Mounts, move_to, new};
use alloc::ffi::CString;
use core::ffi::CStr;
use rustix::fd::AsFd;
use rustix::fs::{Mode, OFlags, mkdirat, openat, symlinkat};
use rustix::mount::MountAttrFlags;

const LINKS: [(&CStr, &CStr); 5] = [
    (c"fd", c"/proc/self/fd"),
    (c"stdin", c"/proc/self/fd/0"),
    (c"stdout", c"/proc/self/fd/1"),
    (c"stderr", c"/proc/self/fd/2"),
    (c"ptmx", c"pts/ptmx"),
];

/// Builds it: part 1 the tmpfs, 2 its names, 3 its place, 4 a device, 5 pseudo terminals, 6 shared memory.
pub(crate) fn mount(
    mounts: &mut Mounts,
    at: &CStr,
    first_slot: u32,
    devices: &[CString],
) -> Result<(), Failure> {
    let part = |part| move |errno| Failure { part, errno };
    let quiet = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let dev = new(c"tmpfs", &[("mode", "755"), ("size", "64k")], quiet).map_err(part(1))?;
    for name in devices {
        openat(
            dev.as_fd(),
            name.as_c_str(),
            OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC,
            Mode::from(0o666),
        )
        .map_err(part(2))?;
    }
    for (name, target) in LINKS {
        symlinkat(target, dev.as_fd(), name).map_err(part(2))?;
    }
    for name in [c"pts", c"shm"] {
        mkdirat(dev.as_fd(), name, Mode::from(0o755)).map_err(part(2))?;
    }
    move_to(dev.as_fd(), mounts.base()?, at).map_err(part(3))?;
    for (index, name) in devices.iter().enumerate() {
        let device = mounts.take(first_slot + index as u32).map_err(part(4))?;
        move_to(device.as_fd(), dev.as_fd(), name).map_err(part(4))?;
    }
    let pts = new(c"devpts", &[("mode", "620"), ("ptmxmode", "666")], quiet).map_err(part(5))?;
    move_to(pts.as_fd(), dev.as_fd(), c"pts").map_err(part(5))?;
    let shm = new(
        c"tmpfs",
        &[("mode", "1777")],
        quiet | MountAttrFlags::MOUNT_ATTR_NODEV,
    )
    .map_err(part(6))?;
    move_to(shm.as_fd(), dev.as_fd(), c"shm").map_err(part(6))
}
