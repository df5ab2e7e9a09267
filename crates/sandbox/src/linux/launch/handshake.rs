//! What is said until the command runs.

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg};
use whybox_init::{DIRECTORY_AS_STREAM, MESSAGE_BYTES, Message, Order, Plan, Stage, Step};

use super::hints;
use crate::Error;

/// A launch takes milliseconds. One that takes this long waits for something that does not come.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the init hands over on the way.
pub(crate) trait Handshake {
    /// The ghost's descriptor: it must be served from now on.
    fn ghost(&mut self, device: OwnedFd) -> Result<(), Error>;
    /// The seccomp listener.
    fn listener(&mut self, listener: OwnedFd) -> Result<(), Error>;
    /// Answers what the ghost was asked meanwhile; whether there was anything.
    fn serve(&mut self) -> bool;
    /// The ghost's descriptor, to wait for.
    fn device(&self) -> Option<Arc<OwnedFd>>;
}

/// A command that runs.
pub(crate) struct Started {
    /// PID 1 of the cage: its id here, and a descriptor that names it for ever.
    pub(crate) init: (i32, OwnedFd),
    /// The command's process id here.
    pub(crate) command: i32,
    /// The wait status of a command that has ended already.
    pub(crate) status: Option<i32>,
}

/// A message with what came beside it.
pub(crate) struct Received {
    pub(crate) message: Message,
    pub(crate) fd: Option<OwnedFd>,
    pub(crate) sender: i32,
}

/// Takes part until the command runs, or says why it does not.
pub(crate) fn run(
    control: BorrowedFd<'_>,
    plan: &Plan,
    program: &str,
    with: &mut impl Handshake,
) -> Result<Started, Error> {
    let deadline = Instant::now() + PATIENCE;
    let (mut init, mut command, mut running, mut status) = (None, 0, false, None);
    loop {
        // The first process tells of PID 1, which may be ahead of it: the order of their words means nothing.
        if running && let Some(init) = init.take() {
            return Ok(Started {
                init,
                command,
                status,
            });
        }
        wait(control, with, deadline)?;
        let Some(received) = receive(control, Some(Duration::ZERO))? else {
            return Err(Error::Init("ended without a word before the command ran"));
        };
        match (received.message, received.fd) {
            (Message::Unmapped, _) => map(control, plan, received.sender)?,
            (Message::Ghost, Some(device)) => with.ghost(device)?,
            (Message::Init { pid }, Some(pidfd)) => init = Some((pid, pidfd)),
            (Message::Listener, Some(listener)) => {
                command = received.sender;
                with.listener(listener)?;
            }
            (Message::Started, _) => running = true,
            (Message::Exited { status: how }, _) => status = Some(how),
            (
                Message::Failed {
                    stage,
                    step,
                    part,
                    errno,
                },
                _,
            ) => return Err(failure(plan, program, stage, step, part, errno)),
            (Message::Stopped { .. }, _) => {}
            _ => return Err(Error::Init("sent a message without its descriptor")),
        }
    }
}

/// Serves the ghost until there is a message.
///
/// The launch is a conversation: the init asks the ghost for each name on the way, and goes on when it is answered. Who
/// sleeps between two questions is woken by the kernel at a price that is a multiple of the answer's, so this thread
/// looks again for a while before it sleeps, where another processor can work meanwhile.
fn wait(
    control: BorrowedFd<'_>,
    with: &mut impl Handshake,
    deadline: Instant,
) -> Result<(), Error> {
    const LOOKS: u32 = 200;
    let step = |errno: Errno| Error::Io {
        step: "wait for the init",
        source: errno.into(),
    };
    let looks = if several_processors() { LOOKS } else { 1 };
    loop {
        let mut left = looks;
        while left > 0 {
            if with.serve() {
                left = looks;
            } else if readable(control, Some(Duration::ZERO)).map_err(step)? {
                return Ok(());
            } else {
                left -= 1;
            }
        }
        let patience = deadline.saturating_duration_since(Instant::now());
        if patience.is_zero() {
            return Err(Error::Init("did not answer in time"));
        }
        let device = with.device();
        let mut fds = vec![PollFd::from_borrowed_fd(control, PollFlags::IN)];
        fds.extend(
            device
                .iter()
                .map(|device| PollFd::new(device, PollFlags::IN)),
        );
        match poll(&mut fds, Timespec::try_from(patience).ok().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(step(errno)),
        }
    }
}

/// Whether another thread can run while this one looks. The answer costs a dozen system calls, so it is kept.
fn several_processors() -> bool {
    static SEVERAL: OnceLock<bool> = OnceLock::new();
    *SEVERAL.get_or_init(|| {
        std::thread::available_parallelism().is_ok_and(|processors| processors.get() > 1)
    })
}

/// Writes the id maps of a process that waits for them.
fn map(control: BorrowedFd<'_>, plan: &Plan, process: i32) -> Result<(), Error> {
    let step = plan.outer.iter().find_map(|step| match step {
        Step::MapIds {
            uid_map, gid_map, ..
        } => Some((uid_map, gid_map)),
        _ => None,
    });
    let (uid_map, gid_map) = step.ok_or(Error::Init("asked for id maps that are not planned"))?;
    for (name, map) in [("uid_map", uid_map), ("gid_map", gid_map)] {
        std::fs::write(format!("/proc/{process}/{name}"), map.as_bytes())
            .map_err(Error::io("write the id maps of the cage"))?;
    }
    rustix::net::send(control, &Order::Mapped.encode(), SendFlags::NOSIGNAL)
        .map(drop)
        .map_err(|errno| Error::Io {
            step: "write the control socket",
            source: errno.into(),
        })
}

fn failure(plan: &Plan, program: &str, stage: Stage, step: u32, part: u32, errno: i32) -> Error {
    let errno = crate::Errno(errno);
    let (name, steps) = match stage {
        Stage::Exec => {
            return Error::Exec {
                program: program.to_owned(),
                errno,
            };
        }
        Stage::Start if part == DIRECTORY_AS_STREAM => {
            return Error::Init(
                "refuses a directory as a standard stream: it would open the whole host to the command",
            );
        }
        Stage::Start => ("cannot start the init", &[][..]),
        Stage::Outer => ("cannot set up the cage", &plan.outer[..]),
        Stage::Build => ("cannot build the cage", &plan.build[..]),
        Stage::Confine => ("cannot confine the command", &plan.confine[..]),
    };
    let step = steps.get(step as usize);
    if let Some(missing) = step.and_then(|step| hints::missing(step, part, errno)) {
        return missing;
    }
    Error::Step {
        stage: name,
        step: step.map_or_else(|| format!("part {part}"), hints::subject),
        errno,
        hint: step.and_then(|step| hints::hint(step, part, errno)),
    }
}

/// Reads one message; `None` when the other end is closed.
///
/// # Errors
/// Nothing came in time, or the socket failed.
pub(crate) fn receive(
    control: BorrowedFd<'_>,
    patience: Option<Duration>,
) -> Result<Option<Received>, Error> {
    let step = |errno: Errno| Error::Io {
        step: "read the control socket",
        source: errno.into(),
    };
    if !readable(control, patience).map_err(step)? {
        return Err(Error::Init("did not answer in time"));
    }
    let mut bytes = [0; MESSAGE_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1), ScmCredentials(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let length = loop {
        match recvmsg(
            control,
            &mut [IoSliceMut::new(&mut bytes)],
            &mut ancillary,
            RecvFlags::CMSG_CLOEXEC,
        ) {
            Ok(message) => break message.bytes,
            Err(Errno::INTR) => {}
            Err(Errno::CONNRESET) => return Ok(None),
            Err(errno) => return Err(step(errno)),
        }
    };
    if length == 0 {
        return Ok(None);
    }
    let (mut fd, mut sender) = (None, 0);
    for message in ancillary.drain() {
        match message {
            RecvAncillaryMessage::ScmRights(fds) => fd = fds.last(),
            RecvAncillaryMessage::ScmCredentials(credentials) => {
                sender = credentials.pid.as_raw_nonzero().get()
            }
            _ => {}
        }
    }
    let message = bytes
        .get(..length)
        .and_then(Message::decode)
        .ok_or(Error::Init("sent what is no message"))?;
    Ok(Some(Received {
        message,
        fd,
        sender,
    }))
}

/// Whether something comes within `patience`, or at all.
pub(crate) fn readable(fd: BorrowedFd<'_>, patience: Option<Duration>) -> Result<bool, Errno> {
    let deadline = patience.map(|patience| Instant::now() + patience);
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(
            &mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)],
            timeout.as_ref(),
        ) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}
