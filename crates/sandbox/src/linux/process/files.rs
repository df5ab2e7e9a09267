//! The files of `/proc` that say who a process is.

use std::os::fd::OwnedFd;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::{Errno, Result};

/// Longest link that is read; longer ones are unknown.
pub(super) const LINK_MAX: usize = 4096;

/// To whom a thread belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) process: u32,
    pub(super) parent: u32,
}

/// Reads `/proc/THREAD/status`.
pub(super) fn status(thread: u32) -> Result<Status> {
    let mut text = [0; 4096];
    let file = open(&format!("/proc/{thread}/status"))?;
    parse_status(read(&file, &mut text)?).ok_or(Errno::INVAL)
}

/// The kernel escapes newlines in the name, which comes first: the lines are
/// its own.
pub(super) fn parse_status(text: &[u8]) -> Option<Status> {
    let field = |name: &[u8]| {
        let line = text
            .split(|&byte| byte == b'\n')
            .find_map(|line| line.strip_prefix(name))?;
        std::str::from_utf8(line).ok()?.trim().parse().ok()
    };
    Some(Status {
        process: field(b"Tgid:")?,
        parent: field(b"PPid:")?,
    })
}

/// Reads the parent from `/proc/PID/stat`.
pub(super) fn parent(pid: u32) -> Result<u32> {
    let mut text = [0; 1024];
    let file = open(&format!("/proc/{pid}/stat"))?;
    parse_stat(read(&file, &mut text)?).ok_or(Errno::INVAL)
}

/// The name may hold spaces and parentheses; nothing behind it does.
pub(super) fn parse_stat(text: &[u8]) -> Option<u32> {
    let end = text.iter().rposition(|&byte| byte == b')')?;
    let mut fields = text
        .get(end + 1..)?
        .split(|&byte| byte == b' ')
        .filter(|field| !field.is_empty());
    fields.next()?;
    std::str::from_utf8(fields.next()?).ok()?.parse().ok()
}

/// The `comm` file of one thread: its name, and the proof that it lives.
#[derive(Debug)]
pub(super) struct ThreadFile(OwnedFd);

impl ThreadFile {
    pub(super) fn open(thread: u32) -> Result<Self> {
        open(&format!("/proc/{thread}/comm")).map(Self)
    }

    /// The name as it is now; an error when the thread is gone.
    pub(super) fn read<'a>(&self, name: &'a mut [u8; 64]) -> Result<&'a [u8]> {
        let text = read(&self.0, name)?;
        Ok(text.strip_suffix(b"\n").unwrap_or(text))
    }

    pub(super) fn lives(&self) -> bool {
        self.read(&mut [0; 64]).is_ok()
    }
}

/// The link to the program of a process. Through a descriptor it is read
/// without a walk over `/proc`.
#[derive(Debug)]
pub(super) struct ProgramLink(OwnedFd);

impl ProgramLink {
    pub(super) fn open(pid: u32) -> Result<Self> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::open(format!("/proc/{pid}/exe"), flags, Mode::empty()).map(Self)
    }

    /// The program as it is now; nothing where the harness may not know it.
    /// Of a process whose first thread ended only the others know.
    pub(super) fn read<'a>(
        &self,
        pid: u32,
        thread: u32,
        link: &'a mut [u8; LINK_MAX],
    ) -> Option<&'a [u8]> {
        let length = match rustix::fs::readlinkat_raw(&self.0, "", &mut link[..]) {
            Ok(length) => length,
            Err(_) if thread != pid => {
                let path = format!("/proc/{thread}/exe");
                rustix::fs::readlinkat_raw(CWD, path, &mut link[..]).ok()?
            }
            Err(_) => return None,
        };
        link.get(..length)
    }
}

fn open(path: &str) -> Result<OwnedFd> {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
}

/// Reads a file from its start, which makes the kernel write it anew.
fn read<'a>(file: &OwnedFd, text: &'a mut [u8]) -> Result<&'a [u8]> {
    let length = loop {
        match rustix::io::pread(file, &mut *text, 0) {
            Err(Errno::INTR) => {}
            result => break result?,
        }
    };
    text.get(..length).ok_or(Errno::INVAL)
}
