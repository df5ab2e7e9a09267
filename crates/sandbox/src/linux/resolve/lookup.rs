use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A directory.
    Directory,
    /// Anything else that can be mounted over.
    File,
}

/// Follows a path to what it leads to: its name without symlinks, and its kind.
pub(crate) fn lookup(path: &Path) -> Result<(PathBuf, Kind), Errno> {
    let file = rustix::fs::openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let kind = match FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) {
        FileType::Directory => Kind::Directory,
        _ => Kind::File,
    };
    // The kernel's own text: one call, where following each component would take many.
    let link = rustix::fs::readlinkat(CWD, proc_fd(&file), Vec::new())?;
    Ok((PathBuf::from(OsString::from_vec(link.into_bytes())), kind))
}

fn proc_fd(file: &impl std::os::fd::AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}
