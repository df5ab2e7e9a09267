//! The fast path: posix_spawn(3), which shares the harness's memory until the init runs.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::fs::{Mode, OFlags};
use rustix::pipe::PipeFlags;
use rustix::process::Pid;
use whybox_init::{CONTROL_FD, IMAGE_FD, PLAN_FD};

use super::Parcel;
use crate::Error;
use crate::command::{Stdio, Stream};

/// The harness's ends of the command's pipes.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    pub(crate) stdin: Option<OwnedFd>,
    pub(crate) stdout: Option<OwnedFd>,
    pub(crate) stderr: Option<OwnedFd>,
}

/// Starts the init.
pub(super) fn spawn(parcel: &Parcel, stdio: &mut [Stdio; 3]) -> Result<(Pid, Streams), Error> {
    let mut actions = Actions::new()?;
    // Each source is moved above the targets first, so that none is overwritten before it is used.
    let mut high = Vec::new();
    let mut ours = [None, None, None];
    for (number, (stdio, ours)) in stdio.iter().zip(&mut ours).enumerate() {
        if let Some(theirs) = stream(&stdio.0, number == 0, ours)? {
            let theirs = above(&theirs)?;
            actions.dup2(theirs.as_raw_fd(), number as RawFd)?;
            high.push(theirs);
        }
    }
    for (fd, number) in [
        (&parcel.control, CONTROL_FD),
        (&parcel.plan, PLAN_FD),
        (&parcel.image, IMAGE_FD),
    ] {
        let fd = above(fd)?;
        actions.dup2(fd.as_raw_fd(), number)?;
        high.push(fd);
    }
    let pid = actions.spawn(c"/proc/self/fd/5", c"whybox-init")?;
    let [stdin, stdout, stderr] = ours;
    Ok((
        pid,
        Streams {
            stdin,
            stdout,
            stderr,
        },
    ))
}

/// The command's end of a stream, and through `ours` the harness's; nothing for an inherited one.
fn stream(
    stream: &Stream,
    input: bool,
    ours: &mut Option<OwnedFd>,
) -> Result<Option<OwnedFd>, Error> {
    let step = |step| {
        move |errno: rustix::io::Errno| Error::Io {
            step,
            source: errno.into(),
        }
    };
    Ok(match stream {
        Stream::Inherit => None,
        Stream::Null => {
            let flags = if input {
                OFlags::RDONLY
            } else {
                OFlags::WRONLY
            } | OFlags::CLOEXEC;
            Some(
                rustix::fs::open(c"/dev/null", flags, Mode::empty())
                    .map_err(step("open /dev/null"))?,
            )
        }
        Stream::Piped => {
            let (read, write) =
                rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(step("make a pipe"))?;
            let (theirs, kept) = if input { (read, write) } else { (write, read) };
            *ours = Some(kept);
            Some(theirs)
        }
        Stream::Fd(fd) => Some(
            fd.try_clone()
                .map_err(Error::io("duplicate a descriptor"))?,
        ),
    })
}

fn above(fd: &OwnedFd) -> Result<OwnedFd, Error> {
    rustix::io::fcntl_dupfd_cloexec(fd, IMAGE_FD + 1).map_err(|errno| Error::Io {
        step: "duplicate a descriptor",
        source: errno.into(),
    })
}

/// `posix_spawn_file_actions_t`.
struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new() -> Result<Actions, Error> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the call initialises what it is given.
        check("set up the start of the init", unsafe {
            libc::posix_spawn_file_actions_init(actions.as_mut_ptr())
        })?;
        // SAFETY: it succeeded.
        Ok(Actions(unsafe { actions.assume_init() }))
    }

    fn dup2(&mut self, from: RawFd, to: RawFd) -> Result<(), Error> {
        // SAFETY: initialised; the call only notes the numbers.
        check("set up a descriptor", unsafe {
            libc::posix_spawn_file_actions_adddup2(&raw mut self.0, from, to)
        })
    }

    fn spawn(&self, path: &CStr, name: &CStr) -> Result<Pid, Error> {
        let argv: [*mut c_char; 2] = [name.as_ptr().cast_mut(), ptr::null_mut()];
        let envp: [*mut c_char; 1] = [ptr::null_mut()];
        let mut pid = 0;
        // SAFETY: C strings, arrays closed by null, and initialised actions; default attributes.
        let result = unsafe {
            libc::posix_spawn(
                &raw mut pid,
                path.as_ptr(),
                &raw const self.0,
                ptr::null(),
                argv.as_ptr(),
                envp.as_ptr(),
            )
        };
        check("start the init (is /proc mounted?)", result)?;
        Pid::from_raw(pid).ok_or(Error::Init("has no process id"))
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised, and not used after this.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

fn check(step: &'static str, errno: libc::c_int) -> Result<(), Error> {
    if errno == 0 {
        Ok(())
    } else {
        Err(Error::Io {
            step,
            source: std::io::Error::from_raw_os_error(errno),
        })
    }
}
