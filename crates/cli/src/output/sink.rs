//! Where a report or events go.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, PidfdGetfdFlags};

use super::place::Place;
use crate::args::Sink;
use crate::failure::Failure;

/// An open sink. Bytes go out as they are written.
#[derive(Debug)]
pub(crate) struct Output {
    file: File,
    /// The option and its value, for messages.
    name: String,
    /// Where it is, of a regular file that whybox has opened itself.
    place: Option<Place>,
}

impl Output {
    /// Opens what an option names. A file is emptied, so that nobody takes an old one for this run's.
    pub(crate) fn open(option: &str, sink: &Sink) -> Result<Output, Failure> {
        let (shown, opened) = match sink {
            Sink::File(path) => {
                let shown = whybox::record::text::quote(path.as_os_str().as_bytes()).into_owned();
                let flags = OFlags::WRONLY
                    | OFlags::CREATE
                    | OFlags::TRUNC
                    | OFlags::NOCTTY
                    | OFlags::CLOEXEC;
                let opened = rustix::fs::open(path, flags, Mode::from_raw_mode(0o666));
                (shown, opened.and_then(|fd| Ok((Place::of(path, &fd)?, fd))))
            }
            Sink::Descriptor(number) => (
                format!("fd:{number}"),
                inherited(*number).map(|fd| (None, fd)),
            ),
        };
        let name = format!("{option} {shown}");
        match opened {
            Ok((place, fd)) => Ok(Output {
                file: fd.into(),
                name,
                place,
            }),
            Err(errno) => Err(Failure::before(format!(
                "{name}: cannot open it for writing: {}",
                io::Error::from(errno)
            ))),
        }
    }

    /// The option and its value.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Writes the one document that it is for.
    ///
    /// # Errors
    /// It cannot be written, or the command has put something else in its place that cannot be replaced.
    pub(crate) fn write_document(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(place) = &self.place {
            // Whatever the command wrote there, where its policy let it, is gone.
            self.file.set_len(0)?;
            if !place.holds(&self.file)? {
                return place.replace(bytes);
            }
        }
        self.file.write_all(bytes)
    }

    /// Whether what was written is where its reader looks for it.
    pub(crate) fn in_place(&self) -> io::Result<bool> {
        self.place
            .as_ref()
            .map_or(Ok(true), |place| place.holds(&self.file))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A duplicate of a descriptor that this process was started with; it is closed on `execve`.
fn inherited(number: i32) -> Result<OwnedFd, Errno> {
    let pidfd = rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())?;
    let fd = match rustix::process::pidfd_getfd(pidfd, number, PidfdGetfdFlags::empty()) {
        // An outer sandbox may refuse that call. Opening it anew does the same, but not for sockets.
        Err(Errno::PERM | Errno::NOSYS) => {
            let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOCTTY | OFlags::CLOEXEC;
            rustix::fs::open(format!("/proc/self/fd/{number}"), flags, Mode::empty())?
        }
        other => other?,
    };
    let mode = rustix::fs::fcntl_getfl(&fd)?;
    if mode.contains(OFlags::PATH) || !(mode.intersects(OFlags::WRONLY | OFlags::RDWR)) {
        return Err(Errno::BADF);
    }
    Ok(fd)
}
