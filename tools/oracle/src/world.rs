//! Who is who in a trace: which process a thread belongs to, where it stands, and whether
//! it is inside the cage.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::calls::has;
use crate::trace::{Call, Event, Outcome, Value};

/// One process.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// The parent that made it.
    pub parent: u32,
    /// What its first thread called itself when it was last seen.
    pub comm: Vec<u8>,
    /// The working directory.
    pub directory: PathBuf,
    /// The program that it executed last.
    pub program: PathBuf,
    /// Paths of descriptors, as they were last seen.
    pub descriptors: HashMap<i32, PathBuf>,
    /// Confined: it, or the process that made it, has installed the filter.
    confined: bool,
    /// It executed a program since: what it does is the command's doing.
    inside: bool,
}

/// The birth of a thread, told by the call that made it.
#[derive(Clone, Copy, Debug)]
struct Birth {
    maker: u32,
    /// Of the same process.
    thread: bool,
}

/// All processes of a trace, brought up to date call by call.
#[derive(Debug)]
pub struct World {
    births: HashMap<u32, Birth>,
    /// The process of each thread.
    members: HashMap<u32, u32>,
    processes: HashMap<u32, Process>,
    start: PathBuf,
}

impl World {
    /// The world of a trace that started in the directory `start`.
    ///
    /// A new thread may call before the call that made it has ended, so births are
    /// gathered first. A number that is used twice in one trace is not provided for.
    #[must_use]
    pub fn new(events: &[Event], start: &Path) -> Self {
        let births = events.iter().filter_map(birth).collect();
        Self {
            births,
            members: HashMap::new(),
            processes: HashMap::new(),
            start: start.to_path_buf(),
        }
    }

    /// The process that a thread belongs to.
    pub fn process_of(&mut self, thread: u32) -> u32 {
        if let Some(process) = self.members.get(&thread) {
            return *process;
        }
        let process = match self.births.get(&thread).copied() {
            Some(birth) if birth.maker != thread => {
                let maker = self.process_of(birth.maker);
                if birth.thread {
                    maker
                } else {
                    let made = Process {
                        parent: maker,
                        ..self.processes.get(&maker).cloned().unwrap_or_default()
                    };
                    self.processes.insert(thread, made);
                    thread
                }
            }
            _ => {
                let first = Process {
                    directory: self.start.clone(),
                    ..Process::default()
                };
                self.processes.insert(thread, first);
                thread
            }
        };
        self.members.insert(thread, process);
        process
    }

    /// A process by its number.
    #[must_use]
    pub fn process(&self, process: u32) -> Option<&Process> {
        self.processes.get(&process)
    }

    /// Whether a process runs the command, or something that the command started.
    #[must_use]
    pub fn is_inside(&self, process: u32) -> bool {
        self.processes.get(&process).is_some_and(|process| process.inside)
    }

    /// Learns from the notes of a call before its outcome counts.
    pub fn before(&mut self, call: &Call) {
        let id = self.process_of(call.thread);
        let Some(process) = self.processes.get_mut(&id) else {
            return;
        };
        if call.thread == id {
            process.comm.clone_from(&call.comm);
        }
        for argument in &call.arguments {
            match argument {
                Value::Here(Some(path)) => process.directory = as_path(path),
                Value::Descriptor(number, path) => {
                    process.descriptors.insert(*number, as_path(path));
                }
                _ => {}
            }
        }
    }

    /// Learns from a call that succeeded. `end` is where its path led.
    pub fn after(&mut self, call: &Call, end: Option<&Path>) {
        let id = self.process_of(call.thread);
        let Outcome::Value { number, path } = &call.outcome else {
            return;
        };
        let Some(process) = self.processes.get_mut(&id) else {
            return;
        };
        if let (Some(path), Ok(number)) = (path, i32::try_from(*number)) {
            process.descriptors.insert(number, as_path(path));
        }
        match (call.name.as_str(), end) {
            ("chdir" | "fchdir", Some(end)) => process.directory = end.to_path_buf(),
            ("execve" | "execveat", end) => {
                process.inside = process.confined;
                process.program = end.map(Path::to_path_buf).unwrap_or_default();
            }
            ("seccomp", _) if has(call, "SECCOMP_SET_MODE_FILTER") => process.confined = true,
            _ => {}
        }
    }

    /// A thread took over the place of the first thread of its process.
    pub fn superseded(&mut self, old: u32, new: u32) {
        let process = self.process_of(old);
        self.members.insert(new, process);
        self.members.remove(&old);
    }
}

fn birth(event: &Event) -> Option<(u32, Birth)> {
    let Event::Call(call) = event else {
        return None;
    };
    if !matches!(call.name.as_str(), "clone" | "clone3" | "fork" | "vfork") {
        return None;
    }
    let Outcome::Value { number, .. } = call.outcome else {
        return None;
    };
    let birth = Birth {
        maker: call.thread,
        thread: has(call, "CLONE_THREAD"),
    };
    Some((u32::try_from(number).ok()?, birth))
}

/// A path from bytes.
#[must_use]
pub fn as_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}
