//! The terminal that whybox was started from, and whose turn it is.
//!
//! The command has a process group of its own in the foreground, so that the keys reach it alone. When it stops, whybox
//! takes the terminal back and stops too, so that the shell sees a stopped job; when the shell continues whybox, the
//! command gets the terminal again.

use std::io::{Stdin, stderr, stdin, stdout};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal, raise};
use rustix::process::Pid;
use rustix::termios::{
    OptionalActions, Termios, isatty, tcgetattr, tcgetpgrp, tcsetattr, tcsetpgrp,
};
use whybox::Handle;

/// The terminal, where whybox had it in the foreground.
#[derive(Debug)]
pub(crate) struct Terminal {
    stdin: Stdin,
    turn: Mutex<Turn>,
    continued: Condvar,
}

#[derive(Debug)]
struct Turn {
    /// The command's process group.
    command: Option<Pid>,
    /// Whether whybox gave it the terminal and has not taken it back. The shell takes it only while whybox is stopped.
    given: bool,
    /// The modes that the shell expects.
    ours: Termios,
    /// The modes that the command had when it stopped.
    theirs: Option<Termios>,
    /// How often whybox was sent `SIGCONT`.
    continued: u64,
}

/// How long `SIGCONT` may need from the kernel to the thread that reads signals.
const PATIENCE: Duration = Duration::from_secs(1);

impl Terminal {
    /// The terminal, if all three streams are one, and whybox is in its foreground. Otherwise another program of the
    /// group may own the keyboard (`whybox run x | less`).
    pub(crate) fn of_the_foreground() -> Option<Terminal> {
        let (stdin, stdout, stderr) = (stdin(), stdout(), stderr());
        if ![isatty(&stdin), isatty(&stdout), isatty(&stderr)]
            .iter()
            .all(|terminal| *terminal)
        {
            return None;
        }
        // It fails where the terminal is not the controlling one of this session.
        let group = own_group()?;
        if [tcgetpgrp(&stdin), tcgetpgrp(&stdout), tcgetpgrp(&stderr)]
            .iter()
            .any(|foreground| *foreground != Ok(group))
        {
            return None;
        }
        let ours = tcgetattr(&stdin).ok()?;
        let turn = Turn {
            command: None,
            given: false,
            ours,
            theirs: None,
            continued: 0,
        };
        Some(Terminal {
            stdin,
            turn: Mutex::new(turn),
            continued: Condvar::new(),
        })
    }

    /// The launch has made the command's group and given it the terminal.
    pub(crate) fn given_to(&self, command: u32) {
        let mut turn = self.turn();
        turn.command = i32::try_from(command).ok().and_then(Pid::from_raw);
        turn.given = true;
    }

    /// Takes the terminal back for good, with the modes that it had.
    pub(crate) fn take(&self) {
        let mut turn = self.turn();
        self.take_back(&mut turn);
        turn.command = None;
    }

    /// The same where the launch failed at a step that is not known.
    pub(crate) fn take_after_failure(&self) {
        self.turn().given = true;
        self.take();
    }

    /// The command has stopped: whybox stops too, until the shell continues it.
    pub(crate) fn stopped(&self, signal: i32, handle: &Handle) {
        let Ok(signal) = Signal::try_from(signal) else {
            return;
        };
        let mut turn = self.turn();
        turn.theirs = if turn.given {
            tcgetattr(&self.stdin).ok()
        } else {
            None
        };
        self.take_back(&mut turn);
        let before = turn.continued;
        drop(turn);
        // By the same signal, which the shell names.
        stop(signal);
        let waited = self
            .continued
            .wait_timeout_while(self.turn(), PATIENCE, |turn| turn.continued == before);
        let (turn, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        drop(turn);
        if waited.timed_out() {
            // Nobody is there who could continue whybox, so the kernel did not stop it. It would not have stopped the
            // command either: the keys have no effect, and reading in the background is an error.
            if signal != Signal::SIGTSTP {
                let _ = handle.signal(Signal::SIGHUP as i32);
            }
            self.resume(handle);
        }
    }

    /// whybox was sent `SIGCONT`.
    pub(crate) fn continued(&self, handle: &Handle) {
        self.resume(handle);
        self.turn().continued += 1;
        self.continued.notify_all();
    }

    /// Gives the terminal to the command, if the shell has given it to whybox, and lets the command go on.
    fn resume(&self, handle: &Handle) {
        let mut turn = self.turn();
        let foreground = tcgetpgrp(&self.stdin).ok();
        if let Some(command) = turn.command
            && foreground.is_some()
            && foreground == own_group()
        {
            // The user may have changed them meanwhile.
            if let Ok(ours) = tcgetattr(&self.stdin) {
                turn.ours = ours;
            }
            if let Some(theirs) = turn.theirs.take() {
                self.set_modes(&theirs);
            }
            self.hand_to(command);
            turn.given = true;
        } else if foreground != turn.command {
            turn.given = false;
        }
        let _ = handle.signal(Signal::SIGCONT as i32);
    }

    fn take_back(&self, turn: &mut Turn) {
        if turn.given {
            if let Some(group) = own_group() {
                self.hand_to(group);
            }
            self.set_modes(&turn.ours);
            turn.given = false;
        }
    }

    // Where the terminal is gone, nothing can be done about it.
    fn hand_to(&self, group: Pid) {
        let _ = tcsetpgrp(&self.stdin, group);
    }

    fn set_modes(&self, modes: &Termios) {
        let _ = tcsetattr(&self.stdin, OptionalActions::Now, modes);
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops this process until it is sent `SIGCONT`.
fn stop(signal: Signal) {
    let one = SigSet::from(signal);
    let blocked = SigSet::thread_get_mask().is_ok_and(|mask| mask.contains(signal));
    // None of these calls can fail with a valid signal.
    let _ = one.thread_unblock();
    let _ = raise(signal);
    if blocked {
        let _ = one.thread_block();
    }
}

/// The process group of whybox; `None` where its leader is outside the PID namespace and has no number.
fn own_group() -> Option<Pid> {
    Pid::from_raw(nix::unistd::getpgrp().as_raw())
}
