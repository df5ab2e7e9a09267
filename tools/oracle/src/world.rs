//! Who is who in a trace: which process a thread belongs to, where it stands, and whether
//! it is inside the cage.

use std::collections::{BTreeSet, HashMap};
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
    /// What its first thread calls itself.
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
    /// What each thread calls itself. The tracer's own idea of it may be an older one.
    names: HashMap<u32, Vec<u8>>,
    processes: HashMap<u32, Process>,
    start: PathBuf,
    init: Option<u32>,
}

impl World {
    /// The world of a trace that started in the directory `start`.
    ///
    /// A new thread may call before the call that made it has ended, so births are
    /// gathered first. A number that is used twice in one trace is not provided for.
    #[must_use]
    pub fn new(events: &[Event], start: &Path) -> Self {
        Self {
            births: births(events),
            members: HashMap::new(),
            names: HashMap::new(),
            processes: HashMap::new(),
            start: start.to_path_buf(),
            init: None,
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
                let name = self.names.get(&birth.maker).cloned().unwrap_or_default();
                self.names.insert(thread, name.clone());
                if birth.thread {
                    maker
                } else {
                    let made = Process {
                        parent: maker,
                        comm: name,
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

    /// The first process of the cage: who gets the children of those that ended.
    #[must_use]
    pub fn init(&self) -> Option<u32> {
        self.init
    }

    /// Whether a process runs the command, or something that the command started.
    #[must_use]
    pub fn is_inside(&self, process: u32) -> bool {
        self.processes
            .get(&process)
            .is_some_and(|process| process.inside)
    }

    /// Learns from the notes of a call before its outcome counts.
    pub fn before(&mut self, call: &Call) {
        let id = self.process_of(call.thread);
        let Some(process) = self.processes.get_mut(&id) else {
            return;
        };
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
                process.comm = executed_name(call);
                self.names.insert(id, process.comm.clone());
            }
            ("prctl", _) => {
                if let Some(Value::Text(name) | Value::Start(name)) = call.arguments.get(1)
                    && has(call, "PR_SET_NAME")
                {
                    let name = short(name);
                    if call.thread == id {
                        process.comm.clone_from(&name);
                    }
                    self.names.insert(call.thread, name);
                }
            }
            ("seccomp", _) if has(call, "SECCOMP_SET_MODE_FILTER") => {
                process.confined = true;
                self.init = self.init.or(Some(process.parent));
            }
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

/// The name that a thread gets from the program that it executes: the last part of the path
/// as it was given.
fn executed_name(call: &Call) -> Vec<u8> {
    let path = call.arguments.iter().find_map(|argument| match argument {
        Value::Text(path) => Some(path),
        _ => None,
    });
    let name = path.and_then(|path| path.split(|byte| *byte == b'/').next_back());
    short(name.unwrap_or_default())
}

/// The kernel keeps 15 bytes.
fn short(name: &[u8]) -> Vec<u8> {
    name.get(..15).unwrap_or(name).to_vec()
}

/// Who made which thread.
///
/// The tracer cannot always tell its own number of a new thread: not if the thread ended
/// first, nor if its maker is out of reach of an ordinary user. It then tells the cage's
/// number. Both count up in the order of births, so that what is left over on both sides
/// belongs together in that order.
fn births(events: &[Event]) -> HashMap<u32, Birth> {
    let mut threads: BTreeSet<u32> = events.iter().map(Event::thread).collect();
    // It called before it was superseded, though its calls are told under the new number.
    threads.extend(events.iter().filter_map(|event| match event {
        Event::Superseded { old, .. } => Some(*old),
        _ => None,
    }));
    let mut births = HashMap::new();
    let mut untold = Vec::new();
    for (number, birth) in events.iter().filter_map(birth) {
        if threads.contains(&number) {
            births.insert(number, birth);
        } else {
            untold.push((number, birth));
        }
    }
    let first = events.first().map(Event::thread);
    let orphans = threads
        .iter()
        .filter(|thread| Some(**thread) != first && !births.contains_key(*thread));
    let orphans: Vec<u32> = orphans.copied().collect();
    untold.sort_by_key(|(number, _)| *number);
    if orphans.len() == untold.len() {
        births.extend(
            orphans
                .into_iter()
                .zip(untold.into_iter().map(|(_, birth)| birth)),
        );
    }
    births
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
