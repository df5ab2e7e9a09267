//! Who may still add an entry (the table is at `Recorder`).

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use crate::{Class, Event, Operation};

const FIRST_OF_A_REASON: usize = 8;
const FIRST_OF_A_PROCESS: usize = 4;
/// How much of what is free a process may hold.
const GREED: usize = 3;
/// Bytes of text that one place stands for.
const PLACE_BYTES: usize = 1024;

#[derive(Debug)]
pub(super) struct Shares {
    common: Room,
    classes: Vec<Room>,
    operations: Vec<Room>,
    /// Keyed by a hash: two reasons with one hash would only share their room.
    reasons: Firsts<u64>,
    processes: Firsts<u32>,
}

impl Shares {
    pub(super) fn new(capacity: usize) -> Self {
        let of_class = capacity / 160;
        let of_operation = capacity / 400;
        let of_firsts = capacity / 10;
        let kept = of_class * Class::ALL.len() + of_operation * Operation::ALL.len();
        let rooms = |number: usize, free: usize| (0..number).map(|_| Room::new(free)).collect();
        Self {
            common: Room::new(capacity.saturating_sub(kept + 2 * of_firsts)),
            classes: rooms(Class::ALL.len(), of_class),
            operations: rooms(Operation::ALL.len(), of_operation),
            reasons: Firsts::new(of_firsts, FIRST_OF_A_REASON),
            processes: Firsts::new(of_firsts, FIRST_OF_A_PROCESS),
        }
    }

    /// Takes places for the event, if there are any for it.
    pub(super) fn take(&mut self, hasher: &RandomState, class: Class, event: &Event) -> bool {
        let cost = cost(event);
        let pid = event.process.pid();
        let rooms = [
            Some(&mut self.common),
            self.classes.get_mut(class as usize),
            self.operations.get_mut(event.operation as usize),
        ];
        rooms.into_iter().flatten().any(|room| room.take(pid, cost))
            || self.reasons.take(cost, || reason(hasher, event))
            || self.processes.take(cost, || pid)
    }
}

fn cost(event: &Event) -> usize {
    let other = event.other_target.as_ref();
    let bytes = event.target.bytes().len()
        + other.map_or(0, |other| other.bytes().len())
        + event.process.exe().map_or(0, <[u8]>::len);
    1 + bytes / PLACE_BYTES
}

fn reason(hasher: &RandomState, event: &Event) -> u64 {
    let mut state = hasher.build_hasher();
    event.operation.hash(&mut state);
    event.kind.hash(&mut state);
    event.denied_by.hash(&mut state);
    state.finish()
}

/// Places that processes share fairly.
#[derive(Debug)]
struct Room {
    free: usize,
    held: HashMap<u32, usize>,
}

impl Room {
    fn new(free: usize) -> Self {
        Self {
            free,
            held: HashMap::new(),
        }
    }

    fn take(&mut self, pid: u32, cost: usize) -> bool {
        if self.free == 0 {
            return false;
        }
        let held = self.held.get(&pid).copied().unwrap_or(0);
        if held >= GREED * self.free {
            return false;
        }
        self.held.insert(pid, held + cost);
        self.free = self.free.saturating_sub(cost);
        true
    }
}

/// Places for the first few of each key.
#[derive(Debug)]
struct Firsts<K> {
    free: usize,
    each: usize,
    held: HashMap<K, usize>,
}

impl<K: Eq + Hash> Firsts<K> {
    fn new(free: usize, each: usize) -> Self {
        Self {
            free,
            each,
            held: HashMap::new(),
        }
    }

    fn take(&mut self, cost: usize, key: impl FnOnce() -> K) -> bool {
        if self.free == 0 {
            return false;
        }
        let key = key();
        let held = self.held.get(&key).copied().unwrap_or(0);
        if held >= self.each {
            return false;
        }
        self.held.insert(key, held + cost);
        self.free = self.free.saturating_sub(cost);
        true
    }
}
