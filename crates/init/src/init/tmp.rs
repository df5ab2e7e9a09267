//! The own `/tmp`.

use crate::mounts::{Failure, Mounts, move_to, new};
use alloc::ffi::CString;
use alloc::string::String;
use core::ffi::CStr;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;
use rustix::mount::{MountAttrFlags, UnmountFlags};

const UPPER: &CStr = c"upper";
const WORK: &CStr = c"work";

fn attributes() -> MountAttrFlags {
    MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV
}

/// An overlay of a tmpfs above the ghost's directory: part 1 the tmpfs, 2 its place, 3 its directories,
/// 4 the overlay, 5 its place, 6 the tmpfs' name taken away again (the overlay keeps the layer).
pub(crate) fn overlay(
    mounts: &Mounts,
    at: &CStr,
    borrow: &CStr,
    aside: &CStr,
) -> Result<(), Failure> {
    let part = |part| move |errno| Failure { part, errno };
    let base = mounts.base()?;
    let tmpfs = new(c"tmpfs", &[("mode", "700")], attributes()).map_err(part(1))?;
    move_to(tmpfs.as_fd(), base, borrow).map_err(part(2))?;
    directory(tmpfs.as_fd(), UPPER, 0o1777).map_err(part(3))?;
    directory(tmpfs.as_fd(), WORK, 0o700).map_err(part(3))?;
    let path = |name: &CStr, last: &str| -> Result<String, Errno> {
        let mut path = String::new();
        for piece in [aside, name] {
            path.push_str(piece.to_str().map_err(|_| Errno::ILSEQ)?);
            path.push('/');
        }
        path.push_str(last);
        Ok(path)
    };
    let (lower, upper, work) = (path(at, "")?, path(borrow, "upper")?, path(borrow, "work")?);
    let options = [
        ("source", "whybox-tmp"),
        ("lowerdir", lower.as_str()),
        ("upperdir", upper.as_str()),
        ("workdir", work.as_str()),
        ("userxattr", ""),
    ];
    let overlay = new(c"overlay", &options, attributes()).map_err(part(4))?;
    move_to(overlay.as_fd(), base, at).map_err(part(5))?;
    rustix::mount::unmount(path(borrow, "")?.as_str(), UnmountFlags::DETACH).map_err(part(6))
}

/// A plain tmpfs: part 1 the tmpfs, 2 its place, 3 the mount points in it.
pub(crate) fn plain(
    mounts: &Mounts,
    at: &CStr,
    directories: &[CString],
    files: &[CString],
) -> Result<(), Failure> {
    let part = |part| move |errno| Failure { part, errno };
    let tmpfs = new(c"tmpfs", &[("mode", "1777")], attributes()).map_err(part(1))?;
    for name in directories {
        directory(tmpfs.as_fd(), name, 0o755).map_err(part(3))?;
    }
    for name in files {
        openat(
            tmpfs.as_fd(),
            name.as_c_str(),
            OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC,
            Mode::from(0o644),
        )
        .map_err(part(3))?;
    }
    move_to(tmpfs.as_fd(), mounts.base()?, at).map_err(part(2))
}

fn directory(base: BorrowedFd<'_>, name: &CStr, mode: u32) -> Result<(), Errno> {
    mkdirat(base, name, Mode::from(mode))?;
    // Whatever the umask is.
    rustix::fs::chmodat(base, name, Mode::from(mode), rustix::fs::AtFlags::empty())
}
