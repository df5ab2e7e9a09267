//! Starting the init and talking with it until the command runs.

mod files;
mod handshake;
mod hints;
mod search;
mod spawn;
mod standard;

pub(crate) use handshake::{Handshake, Started, readable, receive, run as handshake};
pub(crate) use search::Program;
pub(crate) use spawn::Streams;

use std::os::fd::OwnedFd;

use crate::{Command, Error};
use whybox_init::Plan;

/// What a launch hands to the init: the control socket's other end, the plan, the program's image.
pub(crate) struct Parcel {
    pub(crate) control: OwnedFd,
    pub(crate) plan: OwnedFd,
    pub(crate) image: OwnedFd,
}

/// A started init.
pub(crate) struct Init {
    /// The harness's end of the control socket.
    pub(crate) control: OwnedFd,
    /// The first process; it ends as soon as PID 1 of the cage runs.
    pub(crate) first: First,
    pub(crate) streams: Streams,
}

/// The first process, to be reaped.
pub(crate) enum First {
    Pid(rustix::process::Pid),
    Standard(std::process::Child),
}

impl First {
    /// Waits for its end, which is near. A harness that ignores `SIGCHLD` leaves nothing to wait for.
    pub(crate) fn reap(self) {
        match self {
            First::Pid(pid) => {
                while let Err(rustix::io::Errno::INTR) =
                    rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty())
                {
                }
            }
            First::Standard(mut child) => {
                let _ = child.wait();
            }
        }
    }
}

/// Starts the init for the library's own command: nothing is forked.
pub(crate) fn start(command: &mut Command, plan: &Plan, program: &Program) -> Result<Init, Error> {
    let (control, parcel) = parcel(plan, program)?;
    let (pid, streams) = spawn::spawn(&parcel, &mut command.stdio)?;
    Ok(Init {
        control,
        first: First::Pid(pid),
        streams,
    })
}

/// Starts the init from a standard command: that forks the harness.
pub(crate) fn start_standard(
    command: &mut std::process::Command,
    plan: &Plan,
    program: &Program,
) -> Result<Init, Error> {
    let (control, parcel) = parcel(plan, program)?;
    let mut child = standard::spawn(&parcel, command)?;
    let streams = Streams {
        stdin: child.stdin.take().map(OwnedFd::from),
        stdout: child.stdout.take().map(OwnedFd::from),
        stderr: child.stderr.take().map(OwnedFd::from),
    };
    Ok(Init {
        control,
        first: First::Standard(child),
        streams,
    })
}

fn parcel(plan: &Plan, program: &Program) -> Result<(OwnedFd, Parcel), Error> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    let (ours, theirs) = socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )
    .map_err(|errno| Error::Io {
        step: "make the control socket",
        source: errno.into(),
    })?;
    // The kernel then tells with each message which process sent it, in this process's own numbering.
    rustix::net::sockopt::set_socket_passcred(&ours, true).map_err(|errno| Error::Io {
        step: "set up the control socket",
        source: errno.into(),
    })?;
    Ok((
        ours,
        Parcel {
            control: theirs,
            plan: files::plan(plan, program)?,
            image: files::image()?,
        },
    ))
}

pub(crate) use standard::description;
