//! A shell in a terminal, as a person has it.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

/// Only so that a failing test ends; nothing is measured.
const PATIENCE: Duration = Duration::from_secs(30);

/// An interactive shell with job control in a terminal of its own.
pub(crate) struct Terminal {
    keyboard: File,
    shell: Child,
    seen: Vec<u8>,
}

impl Terminal {
    /// Starts bash in `directory`, with `whybox` in its `PATH` under this name.
    pub(crate) fn new(directory: &Path) -> Terminal {
        let keyboard =
            rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
                .unwrap();
        rustix::pty::grantpt(&keyboard).unwrap();
        rustix::pty::unlockpt(&keyboard).unwrap();
        let name = rustix::pty::ptsname(&keyboard, Vec::new()).unwrap();
        let open =
            || rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let mut command = Command::new("bash");
        command
            .args(["--norc", "--noprofile", "-i"])
            .current_dir(directory);
        command
            .env("PS1", "$ ")
            .env("TERM", "dumb")
            .env("W", super::WHYBOX)
            .env_remove("BASH_ENV");
        command.stdin(open()).stdout(open()).stderr(open());
        // SAFETY: both are system calls, which may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                rustix::process::setsid()?;
                rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
                Ok(())
            });
        }
        let shell = command.spawn().unwrap();
        let mut terminal = Terminal {
            keyboard: keyboard.into(),
            shell,
            seen: Vec::new(),
        };
        // The echo of what is typed would look like an answer.
        terminal
            .line("stty -echo; bind 'set enable-bracketed-paste off' 2>/dev/null; echo re''ady");
        terminal.expect("ready");
        terminal
    }

    /// Types a line.
    pub(crate) fn line(&mut self, text: &str) {
        self.keys(format!("{text}\n").as_bytes());
    }

    /// Presses keys.
    pub(crate) fn keys(&mut self, keys: &[u8]) {
        self.keyboard.write_all(keys).unwrap();
    }

    /// Waits until the text appears after what was expected before, and gives what came before it.
    pub(crate) fn expect(&mut self, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = find(&self.seen, text.as_bytes()) {
                let before = String::from_utf8_lossy(&self.seen[..at]).into_owned();
                self.seen.drain(..at + text.len());
                return before;
            }
            assert!(
                Instant::now() < deadline,
                "no {text:?} in {:?}",
                String::from_utf8_lossy(&self.seen)
            );
            let mut fds = [PollFd::new(&self.keyboard, PollFlags::IN)];
            poll(
                &mut fds,
                Some(&Timespec {
                    tv_sec: 1,
                    tv_nsec: 0,
                }),
            )
            .unwrap();
            if fds[0].revents().is_empty() {
                continue;
            }
            let mut buffer = [0; 4096];
            match self.keyboard.read(&mut buffer) {
                Ok(length) => self.seen.extend_from_slice(&buffer[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!(
                    "{error}; no {text:?} in {:?}",
                    String::from_utf8_lossy(&self.seen)
                ),
            }
        }
    }

    /// Changes the window's size.
    pub(crate) fn resize(&mut self, rows: u16, columns: u16) {
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        rustix::termios::tcsetwinsize(&self.keyboard, size).unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window == wanted)
}
