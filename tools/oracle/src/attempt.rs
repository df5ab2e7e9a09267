//! What the processes of a cage tried, from a trace.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use whybox_record::Operation;

use crate::calls::{self, Name, REFUSED, Row, Wish};
use crate::trace::{Call, Event, Outcome, Value};
use crate::walk::{Names, Walk, walk};
use crate::world::{Process, World, as_path};

/// One call of a process inside a cage.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The process, as the tracer numbers it.
    pub process: u32,
    /// The process that made it.
    pub parent: u32,
    /// The program that it executed.
    pub program: PathBuf,
    /// What its first thread called itself.
    pub comm: Vec<u8>,
    /// The call.
    pub call: Call,
    /// What it wanted of its paths; none for a call that is refused as such.
    pub wish: Option<Wish>,
    /// Where its paths led.
    pub paths: Vec<Place>,
    /// The operations that may stand in the record for the ends of its paths.
    pub operations: &'static [Operation],
    /// It wanted to change something.
    pub writes: bool,
}

/// A path of a call.
#[derive(Clone, Debug)]
pub struct Place {
    /// As it was given, made absolute.
    pub given: PathBuf,
    /// The walk to it.
    pub walk: Walk,
}

/// What a trace tells of a cage.
#[derive(Clone, Debug, Default)]
pub struct Attempts {
    /// All calls that name a file, and failing ones that are refused as such.
    pub all: Vec<Attempt>,
    /// Paths that the cage made, gave a new name or removed.
    pub changed: BTreeSet<PathBuf>,
    /// Processes that were inside.
    pub processes: BTreeSet<u32>,
    /// The first process of the cage.
    pub init: Option<u32>,
}

impl Attempt {
    /// The name of the error, if it failed.
    #[must_use]
    pub fn errno(&self) -> Option<&str> {
        match &self.call.outcome {
            Outcome::Failed(name) => Some(name),
            Outcome::Value { .. } | Outcome::Unknown => None,
        }
    }

    /// Whether it ended, so that its process learned how.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.call.outcome != Outcome::Unknown
    }
}

/// Reads off what was tried. `start` is the directory in which the trace started; `link`
/// tells where a symlink of the host leads.
pub fn attempts(
    events: &[Event],
    start: &Path,
    link: impl Fn(&Path) -> Option<PathBuf>,
) -> Attempts {
    let mut world = World::new(events, start);
    let mut found = Attempts::default();
    for event in events {
        match event {
            Event::Superseded { old, new } => world.superseded(*old, *new),
            Event::Exited(_) => {}
            Event::Call(call) => {
                world.before(call);
                let id = world.process_of(call.thread);
                let row = calls::find(&call.name);
                let paths = match (row, world.process(id)) {
                    (Some(row), Some(process)) => places(row, call, process, &link),
                    _ => Vec::new(),
                };
                if world.is_inside(id) {
                    found.processes.insert(id);
                    found.add(call, id, row, &paths, &world);
                }
                let end = paths.first().map(|place| place.walk.end.as_path());
                world.after(call, end);
            }
        }
    }
    found.init = world.init();
    found
}

impl Attempts {
    fn add(&mut self, call: &Call, id: u32, row: Option<&Row>, paths: &[Place], world: &World) {
        let failed = matches!(call.outcome, Outcome::Failed(_));
        let refused =
            !matches!(call.outcome, Outcome::Value { .. }) && REFUSED.contains(&call.name.as_str());
        if row.is_none() && !refused {
            return;
        }
        let writes = row.is_some_and(|row| row.writes(call));
        if writes && !failed {
            self.changed
                .extend(paths.iter().map(|place| place.walk.end.clone()));
        }
        let process = world.process(id);
        self.all.push(Attempt {
            process: id,
            parent: process.map_or(0, |process| process.parent),
            program: process
                .map(|process| process.program.clone())
                .unwrap_or_default(),
            comm: process
                .map(|process| process.comm.clone())
                .unwrap_or_default(),
            call: call.clone(),
            wish: row.map(|row| row.wish),
            paths: paths.to_vec(),
            operations: row.map_or(&[], |row| row.operations(call)),
            writes,
        });
    }
}

fn places(
    row: &Row,
    call: &Call,
    process: &Process,
    link: &impl Fn(&Path) -> Option<PathBuf>,
) -> Vec<Place> {
    let follow = row.follows(call);
    let seen = Seen { process, link };
    let at = |from: &Path, path: &[u8]| Place {
        given: from.join(as_path(path)),
        walk: walk(&seen, from, path, follow),
    };
    let argument = |index: usize| call.arguments.get(index);
    let place = |name: &Name| match *name {
        Name::Path(index) => match argument(index)? {
            Value::Text(path) => Some(at(&process.directory, path)),
            _ => None,
        },
        Name::At(index) => match (argument(index)?, argument(index + 1)?) {
            (Value::Here(_), Value::Text(path)) => Some(at(&process.directory, path)),
            (Value::Descriptor(_, from), Value::Text(path)) if path.is_empty() => {
                Some(itself(from))
            }
            (Value::Descriptor(_, from), Value::Text(path)) => Some(at(&as_path(from), path)),
            (_, Value::Text(path)) if path.starts_with(b"/") => Some(at(Path::new("/"), path)),
            _ => None,
        },
        Name::Descriptor(index) => match argument(index)? {
            Value::Descriptor(_, path) => Some(itself(path)),
            _ => None,
        },
    };
    row.names.iter().filter_map(place).collect()
}

/// What a descriptor stands for: nothing is looked up.
fn itself(path: &[u8]) -> Place {
    let end = as_path(path);
    Place {
        given: end.clone(),
        walk: Walk {
            passed: Vec::new(),
            end,
        },
    }
}

/// The names that one process of the cage meets.
struct Seen<'a, L> {
    process: &'a Process,
    link: &'a L,
}

impl<L: Fn(&Path) -> Option<PathBuf>> Names for Seen<'_, L> {
    fn link(&self, path: &Path) -> Option<PathBuf> {
        // The host's `/proc` is about other processes.
        if path.starts_with("/proc") {
            return None;
        }
        (self.link)(path)
    }

    fn process_link(&self, path: &Path) -> Option<PathBuf> {
        let text = path.as_os_str().as_bytes().strip_prefix(b"/proc/")?;
        let mut names = text.split(|byte| *byte == b'/');
        names.next()?;
        let mut name = names.next()?;
        if name == b"task" {
            names.next()?;
            name = names.next()?;
        }
        let of_process = match name {
            b"root" => PathBuf::from("/"),
            b"cwd" => self.process.directory.clone(),
            b"exe" => self.process.program.clone(),
            b"fd" => {
                let number = std::str::from_utf8(names.next()?).ok()?.parse().ok()?;
                self.process.descriptors.get(&number)?.clone()
            }
            _ => return None,
        };
        names.next().is_none().then_some(of_process)
    }
}
