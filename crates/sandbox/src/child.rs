//! Commands that run in a cage.

use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use whybox_policy::Policy;
use whybox_record::{Coverage, Violation, Violations};

use crate::platform;

/// A command in a cage. When it is dropped, every process of the run is ended.
#[derive(Debug)]
pub struct Child {
    inner: platform::Child,
    /// The command's standard input, when it is a pipe.
    pub stdin: Option<ChildStdin>,
    /// The command's standard output, when it is a pipe.
    pub stdout: Option<ChildStdout>,
    /// The command's standard error, when it is a pipe.
    pub stderr: Option<ChildStderr>,
}

/// How a command is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing has changed.
    Running,
    /// It was stopped by this signal (terminal job control); [`Handle::signal`] with `SIGCONT` lets it go on.
    Stopped(i32),
    /// It ended.
    Exited(ExitStatus),
}

/// Sends signals to a run, from any thread, also while another one waits for it.
#[derive(Clone, Debug)]
pub struct Handle {
    inner: platform::Handle,
}

impl Child {
    pub(crate) fn new(mut inner: platform::Child) -> Child {
        let (stdin, stdout, stderr) =
            (inner.stdin.take(), inner.stdout.take(), inner.stderr.take());
        Child {
            inner,
            stdin,
            stdout,
            stderr,
        }
    }

    /// The command's process id, as the harness sees it. It may be another process's once the command was waited
    /// for: send signals by this type's functions. 0 where reporting is off.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.inner.id()
    }

    /// Waits for the command. With the lifetime `run` everything that it started has ended then, too.
    ///
    /// Standard input is closed first, so that a command that reads it to its end does not wait for ever.
    ///
    /// # Errors
    /// The control socket failed.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        drop(self.stdin.take());
        loop {
            if let State::Exited(status) = self.inner.wait_state(None)? {
                return Ok(status);
            }
        }
    }

    /// The command's status, if it has ended.
    ///
    /// # Errors
    /// The control socket failed.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        loop {
            match self.inner.wait_state(Some(Duration::ZERO))? {
                State::Exited(status) => return Ok(Some(status)),
                State::Running => return Ok(None),
                State::Stopped(_) => {}
            }
        }
    }

    /// Waits until the command stops or ends, at most for `patience` (for ever with `None`): then it is
    /// [`State::Running`].
    ///
    /// # Errors
    /// The control socket failed.
    pub fn wait_state(&mut self, patience: Option<Duration>) -> io::Result<State> {
        self.inner.wait_state(patience)
    }

    /// Sends `SIGKILL` to the command.
    ///
    /// # Errors
    /// The control socket failed.
    pub fn kill(&mut self) -> io::Result<()> {
        self.handle().inner.signal_process(9)
    }

    /// Ends every process of the run, detached ones too, and waits until none is left (X9).
    ///
    /// # Errors
    /// The signal could not be sent.
    pub fn kill_all(&mut self) -> io::Result<()> {
        self.inner.kill_all()
    }

    /// The record so far (V2). Once the run is over it waits up to a second for what may still be under way, and
    /// says in `complete` whether everything is there; it can be read again.
    #[must_use]
    pub fn violations(&mut self) -> Violations {
        self.inner.violations()
    }

    /// New entries as they come, at most 1,024 at a time: a reader that falls behind loses entries of the stream, never of
    /// the record. The stream ends when no more can come (V7). The latest receiver is the only one.
    #[must_use]
    pub fn violation_receiver(&self) -> Receiver<Violation> {
        self.inner.stream()
    }

    /// What the record of this run can show (V9).
    #[must_use]
    pub fn coverage(&self) -> &Coverage {
        self.inner.coverage()
    }

    /// The policy as it is in effect: with this spawn's grants, and with what symlinks lead to.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.inner.policy
    }

    /// For signals from other threads.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle {
            inner: self.inner.handle(),
        }
    }
}

impl Handle {
    /// Sends a signal to the command, or to its process group where it has its own (see
    /// [`crate::CageOptions::foreground`]). Nothing happens when it has ended.
    ///
    /// # Errors
    /// The control socket failed.
    pub fn signal(&self, signal: i32) -> io::Result<()> {
        self.inner.signal(signal)
    }

    /// Ends every process of the run.
    ///
    /// # Errors
    /// The signal could not be sent.
    pub fn kill_all(&self) -> io::Result<()> {
        self.inner.kill_all()
    }
}
