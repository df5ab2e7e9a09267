//! One process that is remembered.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use whybox_record::Process;

use super::files::{self, ThreadFile};

/// A process, by descriptors that can belong to no other.
#[derive(Debug)]
pub(super) struct Entry {
    pid: u32,
    name: ThreadFile,
    program: files::ProgramLink,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    parent: u32,
    /// Proves that the parent is still the parent: a process changes it only
    /// when the old one ends. Opened when the process is met again, since
    /// most are met once.
    parent_lives: Option<OwnedFd>,
    met_again: bool,
    /// What was answered last; shared, since most of the time nothing changed.
    last: Option<Arc<Process>>,
}

impl Entry {
    /// Opens the files of a process. `parent` was read just now.
    pub(super) fn open(pid: u32, parent: u32) -> rustix::io::Result<Self> {
        let name = ThreadFile::open(pid)?;
        let program = files::ProgramLink::open(pid)?;
        let state = State {
            parent,
            parent_lives: None,
            met_again: false,
            last: None,
        };
        Ok(Self {
            pid,
            name,
            program,
            state: Mutex::new(state),
        })
    }

    /// The process as it is now; an error when it is gone. `thread` is one of
    /// its threads that lives.
    pub(super) fn now(&self, thread: u32) -> rustix::io::Result<Arc<Process>> {
        let mut name = [0; 64];
        let name = self.name.read(&mut name)?;
        let mut link = [0; files::LINK_MAX];
        let exe = self.program.read(self.pid, thread, &mut link);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.follow_parent(self.pid)?;
        if let Some(last) = &state.last
            && (last.ppid(), last.name(), last.exe()) == (state.parent, name, exe)
        {
            return Ok(Arc::clone(last));
        }
        let mut process = Process::new(self.pid, state.parent, name);
        if let Some(exe) = exe {
            process = process.with_exe(exe);
        }
        let process = Arc::new(process);
        state.last = Some(Arc::clone(&process));
        Ok(process)
    }
}

impl State {
    /// Brings the parent up to date. The process lives, so its id is its own.
    fn follow_parent(&mut self, pid: u32) -> rustix::io::Result<()> {
        if let Some(parent) = &self.parent_lives
            && lives(parent)
        {
            return Ok(());
        }
        if !std::mem::replace(&mut self.met_again, true) {
            return Ok(());
        }
        let parent = files::parent(pid)?;
        let proof = i32::try_from(parent)
            .ok()
            .and_then(Pid::from_raw)
            .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        // The descriptor is the parent's only if the id was not freed before
        // it was opened.
        self.parent = files::parent(pid)?;
        self.parent_lives = proof.filter(|_| self.parent == parent);
        Ok(())
    }
}

/// A process descriptor becomes readable when its process has ended.
fn lives(process: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(process, PollFlags::IN)];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    matches!(poll(&mut polled, Some(&now)), Ok(0))
}
