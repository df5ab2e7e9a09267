//! PID 1 of the cage, once the command runs.

use crate::control::{self, Received};
use crate::streams::Again;
use crate::sys;
use core::ffi::c_int;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use whybox_init::{Message, Order, Stage};

/// Reaps, passes on how the command ended, and ends with the harness. When this process ends, the kernel
/// ends every other process of the cage.
///
/// `started` is the reading end of a pipe that the command's process holds until `execve` succeeds; a
/// byte on it says that it did not.
pub(crate) fn run(
    command: i32,
    started: OwnedFd,
    signals: OwnedFd,
    own_group: bool,
    detached: bool,
    again: &[Again],
) -> ! {
    let mut started = Some(started);
    let mut command = Some(command);
    loop {
        let mut fds = [
            PollFd::from_borrowed_fd(control::socket(), PollFlags::IN),
            PollFd::new(&signals, PollFlags::IN),
            PollFd::new(&signals, PollFlags::IN),
        ];
        let count = if let Some(pipe) = &started {
            fds[2] = PollFd::new(pipe, PollFlags::IN);
            3
        } else {
            2
        };
        match poll(&mut fds[..count], None) {
            Ok(_) | Err(Errno::INTR) => {}
            // Without it nothing here could be noticed any more.
            Err(_) => control::exit(125),
        }
        let ready = fds.map(|fd| !fd.revents().is_empty());
        if count == 3 && ready[2] && started.as_ref().is_some_and(exec_done) {
            started = None;
            let _ = control::send(Message::Started, None);
        }
        if ready[1] {
            drain(&signals);
            reap(&mut command, started.as_ref(), detached, again);
        }
        if ready[0] {
            match control::receive() {
                Received::Order(order) => obey(order, command, own_group),
                Received::Nothing => {}
                Received::Closed => control::exit(137),
            }
        }
    }
}

/// Whether the command runs now. A process that failed has said so itself, and nothing is left to wait for.
fn exec_done(pipe: &OwnedFd) -> bool {
    let mut byte = [0u8];
    match rustix::io::read(pipe.as_fd(), &mut byte) {
        Ok(0) => true,
        Ok(_) => control::exit(125),
        Err(_) => false,
    }
}

fn drain(signals: &OwnedFd) {
    let mut buffer = [0u8; 128];
    while rustix::io::read(signals.as_fd(), &mut buffer).is_ok_and(|length| length > 0) {}
}

fn reap(command: &mut Option<i32>, started: Option<&OwnedFd>, detached: bool, again: &[Again]) {
    loop {
        match sys::wait() {
            Ok(Some((pid, status))) if Some(pid) == *command => {
                if status & 0xff == 0x7f {
                    let _ = control::send(
                        Message::Stopped {
                            signal: status >> 8 & 0xff,
                        },
                        None,
                    );
                    continue;
                }
                *command = None;
                // A command may end before the end of the pipe was seen.
                if started.is_some_and(exec_done) {
                    let _ = control::send(Message::Started, None);
                }
                again.iter().for_each(Again::pass_on);
                let _ = control::send(Message::Exited { status }, None);
                if !detached {
                    control::exit(0);
                }
            }
            Ok(Some(_)) => {}
            Ok(None) => return,
            // No child is left. A detached run ends with its last process.
            Err(Errno::CHILD) if command.is_none() => control::exit(0),
            Err(Errno::CHILD) => control::fail(Stage::Start, 0, 0, Errno::CHILD),
            Err(Errno::INTR) => {}
            Err(errno) => control::fail(Stage::Start, 0, 0, errno),
        }
    }
}

fn obey(order: Order, command: Option<i32>, own_group: bool) {
    let Some(command) = command.and_then(Pid::from_raw) else {
        return;
    };
    let (number, group): (c_int, bool) = match order {
        Order::Signal { signal } => (signal, own_group),
        Order::SignalProcess { signal } => (signal, false),
        Order::Mapped => return,
    };
    let Some(signal) = Signal::from_named_raw(number) else {
        return;
    };
    // A group or process that is gone needs no signal.
    let _ = if group {
        kill_process_group(command, signal)
    } else {
        kill_process(command, signal)
    };
}
