//! Where a file is. A command that may write there can put something else in its place.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

/// The directory that holds a regular file, and the file's name in it.
#[derive(Debug)]
pub(crate) struct Place {
    directory: OwnedFd,
    name: OsString,
}

impl Place {
    /// The place of an open file; none where it is no regular one.
    pub(crate) fn of(path: &Path, file: impl AsFd) -> Result<Option<Place>, Errno> {
        let stat = rustix::fs::fstat(file)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Ok(None);
        }
        let real = path
            .canonicalize()
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        let parent = real.parent().unwrap_or(Path::new("/"));
        let directory = rustix::fs::open(
            parent,
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        Ok(Some(Place {
            directory,
            name: real.file_name().map(OsStr::to_owned).unwrap_or_default(),
        }))
    }

    /// Whether the file is still there under its name.
    pub(crate) fn holds(&self, file: &File) -> io::Result<bool> {
        let ours = rustix::fs::fstat(file)?;
        match rustix::fs::statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(there) => Ok((there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Puts a new file there, in place of what is.
    pub(crate) fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let mut name = self.name.clone();
        name.push(format!(".{}.new", std::process::id()));
        // A file of this name cannot be one of ours.
        let _ = rustix::fs::unlinkat(&self.directory, &name, AtFlags::empty());
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.directory, &name, flags, Mode::from_raw_mode(0o666))?;
        let written = File::from(file).write_all(bytes).and_then(|()| {
            rustix::fs::renameat(&self.directory, &name, &self.directory, &self.name)
                .map_err(io::Error::from)
        });
        if written.is_err() {
            let _ = rustix::fs::unlinkat(&self.directory, &name, AtFlags::empty());
        }
        written
    }
}
