//! Waiting for the command: its end, its stops, its time.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use whybox::{Child, State};

use super::terminal::Terminal;
use crate::failure::complain;
use crate::status::Ending;

/// What `SIGKILL` leaves.
const KILLED: i32 = 9;

/// Waits until the command and everything that it started has ended.
pub(crate) fn wait(
    child: &mut Child,
    timeout: Option<Duration>,
    terminal: Option<&Terminal>,
) -> Ending {
    // A time too long for a clock is no limit.
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match child.wait_state(left) {
            Ok(State::Exited(status)) => return Ending::Status(status),
            Ok(State::Stopped(signal)) => {
                // Without a group of its own the command shares whybox's, and the terminal has stopped both.
                if let Some(terminal) = terminal {
                    terminal.stopped(signal, &child.handle());
                }
            }
            Ok(State::Running) => {
                if left == Some(Duration::ZERO) {
                    kill(child);
                    return Ending::Timeout;
                }
            }
            Err(error) => {
                complain(format_args!(
                    "cannot wait for the command, which is ended: {error}"
                ));
                kill(child);
                return Ending::Status(ExitStatus::from_raw(KILLED));
            }
        }
    }
}

fn kill(child: &mut Child) {
    if let Err(error) = child.kill_all() {
        complain(format_args!(
            "cannot end every process of the command: {error}"
        ));
    }
}
