//! The standard streams that the command is given.

use crate::mounts;
use crate::sys;
use alloc::format;
use alloc::vec::Vec;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};
use rustix::fs::{CWD, FileType, Mode, OFlags, SeekFrom};
use rustix::io::Errno;
use rustix::mount::{MountAttrFlags, OpenTreeFlags};

/// The first descriptor that is none of the standard streams.
pub(crate) const FIRST_OTHER: u32 = 3;

/// A stream that the harness has closed leads nowhere, as the standard library has it: the next descriptor that is
/// opened here must not be taken for it.
pub(crate) fn fill() {
    while let Ok(fd) = rustix::fs::open(c"/dev/null", OFlags::RDWR, Mode::empty()) {
        if fd.as_raw_fd() >= FIRST_OTHER as i32 {
            return;
        }
        // It stays open, for the command.
        let _ = fd.into_raw_fd();
    }
}

/// Refuses what is no stream: a directory keeps the host's mount, and with it a way to all of the host's names.
pub(crate) fn check() -> Result<(), Errno> {
    for number in 0..FIRST_OTHER {
        let fd = stream(number);
        let (Ok(stat), Ok(flags)) = (rustix::fs::fstat(fd), rustix::fs::fcntl_getfl(fd)) else {
            continue;
        };
        if FileType::from_raw_mode(stat.st_mode).is_dir() || flags.contains(OFlags::PATH) {
            return Err(Errno::ISDIR);
        }
    }
    Ok(())
}

/// Opens files that are given for reading again through read-only mounts: through its descriptor in /proc the command
/// could change a file's mode, or empty it, which Landlock does not hold here. A file that has no name, or another one by
/// now, stays as it is.
pub(crate) fn guard() -> Vec<Again> {
    (0..FIRST_OTHER)
        .filter_map(|number| guard_one(number).ok().flatten())
        .collect()
}

/// A file that was opened again.
pub(crate) struct Again {
    given: OwnedFd,
    shown: OwnedFd,
}

impl Again {
    /// Whoever shares the file with the command goes on where it stopped, as without a cage.
    pub(crate) fn pass_on(&self) {
        if let Ok(position) = rustix::fs::tell(&self.shown) {
            let _ = rustix::fs::seek(&self.given, SeekFrom::Start(position));
        }
    }
}

fn guard_one(number: u32) -> Result<Option<Again>, Errno> {
    let fd = stream(number);
    let (stat, flags) = (rustix::fs::fstat(fd)?, rustix::fs::fcntl_getfl(fd)?);
    if !FileType::from_raw_mode(stat.st_mode).is_file()
        || flags.intersects(OFlags::WRONLY | OFlags::RDWR)
    {
        return Ok(None);
    }
    let path = rustix::fs::readlinkat(CWD, format!("/proc/self/fd/{number}").as_str(), Vec::new())?;
    let tree = mounts::open_tree(CWD, &path, OpenTreeFlags::AT_RECURSIVE)?;
    let other = rustix::fs::fstat(&tree)?;
    if (stat.st_dev, stat.st_ino) != (other.st_dev, other.st_ino) {
        return Err(Errno::STALE);
    }
    let quiet = MountAttrFlags::MOUNT_ATTR_RDONLY
        | MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV;
    sys::mount_setattr(tree.as_fd(), quiet.bits().into())?;
    let again = format!("/proc/self/fd/{}", tree.as_raw_fd());
    let file = rustix::fs::open(
        again.as_str(),
        OFlags::RDONLY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let position = rustix::fs::tell(fd)?;
    rustix::fs::seek(&file, SeekFrom::Start(position))?;
    let given = rustix::io::fcntl_dupfd_cloexec(fd, FIRST_OTHER as i32)?;
    sys::dup_to(file.as_fd(), number)?;
    Ok(Some(Again { given, shown: file }))
}

fn stream(number: u32) -> BorrowedFd<'static> {
    // SAFETY: the standard streams are the command's and stay open here; a closed one is an error of the call.
    unsafe { BorrowedFd::borrow_raw(number as i32) }
}
