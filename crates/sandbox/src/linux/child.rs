//! A running cage.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Signal, WaitId, WaitIdOptions};
use whybox_init::{Message, Order};
use whybox_policy::Policy;
use whybox_record::{Coverage, Violation, Violations};

use super::ghost::{Ghost, Ticket};
use super::launch::{Started, Streams, readable, receive};
use super::log::Log;
use super::supervisor::{Listening, Supervisor};
use crate::State;

/// A ghost that is being served.
pub(super) type Served = (Arc<Ghost>, Ticket);

/// How long a reader of the record waits for what may still be under way (V8).
const SETTLE: Duration = Duration::from_secs(1);

/// How long the processes of a run that ends may take before the ghost is taken from them.
const LINGER: Duration = Duration::from_millis(200);

/// A command in a cage.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
    pub(crate) policy: Policy,
    run: Arc<Run>,
    supervisor: Arc<Supervisor>,
    ghost: Option<Served>,
    listening: Option<Arc<Listening>>,
    coverage: Coverage,
    command: i32,
    detached: bool,
    status: Option<ExitStatus>,
    /// PID 1 has ended, and with it every process of the cage.
    over: bool,
}

/// What signals need; shared with handles.
#[derive(Debug)]
struct Run {
    control: OwnedFd,
    init: OwnedFd,
    log: Arc<Log>,
}

/// Sends signals to a run from any thread.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    run: Arc<Run>,
}

/// What a launch leaves.
pub(super) struct Parts {
    pub(super) started: Started,
    pub(super) control: OwnedFd,
    pub(super) log: Arc<Log>,
    pub(super) ghost: Option<Served>,
    pub(super) listening: Option<Arc<Listening>>,
    pub(super) coverage: Coverage,
}

impl Child {
    pub(super) fn new(
        supervisor: Arc<Supervisor>,
        parts: Parts,
        streams: Streams,
        policy: Policy,
        detached: bool,
    ) -> Child {
        let (_, init) = parts.started.init;
        let mut child = Child {
            stdin: streams.stdin.map(ChildStdin::from),
            stdout: streams.stdout.map(ChildStdout::from),
            stderr: streams.stderr.map(ChildStderr::from),
            policy,
            run: Arc::new(Run {
                control: parts.control,
                init,
                log: parts.log,
            }),
            supervisor,
            ghost: parts.ghost,
            listening: parts.listening,
            coverage: parts.coverage,
            command: parts.started.command,
            detached,
            status: None,
            over: false,
        };
        if let Some(status) = parts.started.status {
            child.ended(ExitStatus::from_raw(status));
        }
        child
    }

    /// The command's process id; 0 when nothing told it.
    pub(crate) fn id(&self) -> u32 {
        u32::try_from(self.command).unwrap_or(0)
    }

    pub(crate) fn handle(&self) -> Handle {
        Handle {
            run: Arc::clone(&self.run),
        }
    }

    /// Waits until something changes, at most for `patience`.
    pub(crate) fn wait_state(&mut self, patience: Option<Duration>) -> io::Result<State> {
        if let Some(status) = self.status {
            return Ok(State::Exited(status));
        }
        let deadline = patience.map(|patience| Instant::now() + patience);
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if !readable(self.run.control.as_fd(), left)? {
                return Ok(State::Running);
            }
            match receive(self.run.control.as_fd(), Some(Duration::ZERO))?
                .map(|received| received.message)
            {
                Some(Message::Exited { status }) => {
                    return Ok(State::Exited(self.ended(ExitStatus::from_raw(status))));
                }
                Some(Message::Stopped { signal }) => return Ok(State::Stopped(signal)),
                Some(_) => {}
                // PID 1 was killed, and everything with it.
                None => {
                    return Ok(State::Exited(
                        self.ended(ExitStatus::from_raw(libc::SIGKILL)),
                    ));
                }
            }
        }
    }

    fn ended(&mut self, status: ExitStatus) -> ExitStatus {
        self.status = Some(status);
        if !self.detached {
            self.finish();
        }
        status
    }

    /// Waits for PID 1, with which the kernel ends everything else first.
    fn finish(&mut self) {
        if self.over {
            return;
        }
        // A process that waits for the ghost's answer cannot be killed before it has one. Taking the ghost away at
        // once would make calls fail that no entry tells of, so that comes only when it takes too long.
        let gone = readable(self.run.init.as_fd(), Some(LINGER)).unwrap_or(true);
        if let Some((ghost, _)) = self.ghost.as_ref().filter(|_| !gone) {
            ghost.abort();
        }
        loop {
            match rustix::process::waitid(
                WaitId::PidFd(self.run.init.as_fd()),
                WaitIdOptions::EXITED,
            ) {
                Err(Errno::INTR) => {}
                Ok(_) => break,
                // Someone else has waited for it, or nobody may: its descriptor tells the end all the same.
                Err(_) => {
                    let _ = readable(self.run.init.as_fd(), None);
                    break;
                }
            }
        }
        self.over = true;
        self.release();
    }

    fn release(&mut self) {
        if let Some((ghost, ticket)) = self.ghost.take() {
            ghost.abort();
            self.supervisor.ghosts.remove(ticket);
        }
    }

    /// Ends every process of the run and waits until none is left.
    pub(crate) fn kill_all(&mut self) -> io::Result<()> {
        self.handle().kill_all()?;
        self.finish();
        Ok(())
    }

    /// The record so far.
    pub(crate) fn violations(&mut self) -> Violations {
        if self.detached
            && self.status.is_some()
            && !self.over
            && matches!(
                readable(self.run.init.as_fd(), Some(Duration::ZERO)),
                Ok(true)
            )
        {
            self.finish();
        }
        // Every process has ended, so everything that the ghost was asked is answered, and recorded before that. A
        // refused call of a process that was killed may still be at the listener.
        let complete = self.over
            && self
                .listening
                .as_ref()
                .is_none_or(|listening| listening.closed(SETTLE));
        if complete {
            self.run.log.close_stream();
        }
        let (entries, dropped) = self.run.log.snapshot();
        Violations::new(entries, dropped, self.coverage.clone(), complete)
    }

    pub(crate) fn stream(&self) -> Receiver<Violation> {
        self.run.log.stream()
    }

    pub(crate) fn coverage(&self) -> &Coverage {
        &self.coverage
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.over {
            // Nothing more can be done about a failure here; closing the control socket ends PID 1 as well.
            let _ = self.handle().kill_all();
            self.finish();
        }
        self.run.log.close_stream();
    }
}

impl Handle {
    /// Sends a signal to the command, or to its process group where it has its own.
    pub(crate) fn signal(&self, signal: i32) -> io::Result<()> {
        self.order(Order::Signal { signal })
    }

    /// Sends a signal to the command's process alone.
    pub(crate) fn signal_process(&self, signal: i32) -> io::Result<()> {
        self.order(Order::SignalProcess { signal })
    }

    fn order(&self, order: Order) -> io::Result<()> {
        let flags = rustix::net::SendFlags::NOSIGNAL;
        match rustix::net::send(&self.run.control, &order.encode(), flags) {
            // It has ended.
            Ok(_) | Err(Errno::PIPE | Errno::CONNRESET) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Ends every process of the run.
    pub(crate) fn kill_all(&self) -> io::Result<()> {
        match rustix::process::pidfd_send_signal(&self.run.init, Signal::KILL) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}
