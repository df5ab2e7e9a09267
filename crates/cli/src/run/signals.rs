//! Signals sent to whybox are the command's.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use nix::libc::SI_KERNEL;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd, siginfo};
use whybox::Handle;

use super::terminal::Terminal;
use crate::failure::Failure;

/// What is passed on. Others keep their meaning for whybox itself.
const PASSED: [Signal; 9] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGWINCH,
    Signal::SIGCONT,
];

/// After the command's end whybox itself can be ended, if writing a report takes longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

/// The thread that passes signals on.
pub(crate) struct Signals {
    start: SyncSender<Target>,
    ended: Arc<OnceLock<Instant>>,
}

/// Whom they are passed on to.
struct Target {
    handle: Handle,
    /// The terminal's own signals reach the command as they reach whybox.
    shares_group: bool,
    terminal: Option<Arc<Terminal>>,
}

impl Signals {
    /// Keeps signals from their usual effect on this process, until [`Signals::forward`] says where they go. To be called
    /// before other threads are started. With a terminal to hand over, also those that would stop whybox.
    pub(crate) fn catch(job_control: bool) -> Result<Signals, Failure> {
        let mut set: SigSet = PASSED.into_iter().collect();
        if job_control {
            set.add(Signal::SIGTSTP);
        }
        let mut blocked = set;
        if job_control {
            // Handing the terminal over from the background must not stop whybox.
            blocked.add(Signal::SIGTTOU);
        }
        let failed = |error| Failure::before(format!("cannot receive signals: {error}"));
        blocked.thread_block().map_err(failed)?;
        let received = SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC).map_err(failed)?;
        let (start, target) = sync_channel(1);
        let ended = Arc::new(OnceLock::new());
        let over = Arc::clone(&ended);
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || pass_on(&received, &target, &over))
            .map_err(|error| Failure::before(format!("cannot start a thread: {error}")))?;
        Ok(Signals { start, ended })
    }

    /// Passes them on from now on, those that have come already first.
    pub(crate) fn forward(&self, handle: Handle, command: u32, terminal: Option<Arc<Terminal>>) {
        let group = i32::try_from(command)
            .ok()
            .map(|pid| nix::unistd::getpgid(Some(nix::unistd::Pid::from_raw(pid))));
        // A command that has ended already needs no signals. Both are 0 where their group is one from outside a PID
        // namespace, which only whybox can have given to the command.
        let shares_group = matches!(group, Some(Ok(group)) if group == nix::unistd::getpgrp());
        let _ = self.start.send(Target {
            handle,
            shares_group,
            terminal,
        });
    }

    /// Nothing is left to pass them on to.
    pub(crate) fn command_ended(&self) {
        let _ = self.ended.set(Instant::now());
    }
}

fn pass_on(received: &SignalFd, target: &Receiver<Target>, ended: &OnceLock<Instant>) {
    // None comes where the command could not be started.
    let Ok(target) = target.recv() else { return };
    loop {
        let info = match received.read_signal() {
            Ok(Some(info)) => info,
            Ok(None) | Err(nix::errno::Errno::EINTR) => continue,
            Err(_) => return,
        };
        let Some(signal) = i32::try_from(info.ssi_signo)
            .ok()
            .and_then(|number| Signal::try_from(number).ok())
        else {
            continue;
        };
        if let Some(ended) = ended.get() {
            leave(signal, *ended);
            continue;
        }
        if signal == Signal::SIGCONT
            && let Some(terminal) = &target.terminal
        {
            terminal.continued(&target.handle);
            continue;
        }
        if !(target.shares_group && is_the_terminals(&info)) {
            // It fails only when the command is gone.
            let _ = target.handle.signal(signal as i32);
        }
    }
}

/// Whether the kernel sent it (the terminal's keys, its size, its end), and not a process.
fn is_the_terminals(info: &siginfo) -> bool {
    info.ssi_code == SI_KERNEL
}

/// Ends whybox when the command has ended long since: then it waits for someone to read what it writes.
fn leave(signal: Signal, ended: Instant) {
    let asked = matches!(
        signal,
        Signal::SIGHUP | Signal::SIGINT | Signal::SIGQUIT | Signal::SIGTERM
    );
    if asked && ended.elapsed() > PATIENCE {
        std::process::exit(128 + signal as i32);
    }
}
