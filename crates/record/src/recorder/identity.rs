//! Which events are identical.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::Arc;

use crate::{Event, Violation};

/// A hash of what makes events identical. It is keyed: names are chosen by whom
/// the record is about.
pub(super) fn hash(hasher: &RandomState, event: &Event) -> u64 {
    let mut state = hasher.build_hasher();
    event.operation.hash(&mut state);
    event.kind.hash(&mut state);
    event.errno.hash(&mut state);
    event.target.hash(&mut state);
    event.other_target.hash(&mut state);
    state.write_u32(event.process.pid());
    event.process.name().hash(&mut state);
    event.process.exe().hash(&mut state);
    event.denied_by.hash(&mut state);
    state.finish()
}

pub(super) fn is_same(entry: &Violation, event: &Event) -> bool {
    entry.operation == event.operation
        && entry.kind == event.kind
        && entry.errno == event.errno
        && entry.target == event.target
        && entry.other_target == event.other_target
        && is_same_process(entry, event)
        && (Arc::ptr_eq(&entry.denied_by, &event.denied_by) || entry.denied_by == event.denied_by)
}

/// The parent is left out: it changes when a parent ends, and the process is the
/// same.
fn is_same_process(entry: &Violation, event: &Event) -> bool {
    let (one, other) = (&entry.process, &event.process);
    Arc::ptr_eq(one, other)
        || one.pid() == other.pid() && one.name() == other.name() && one.exe() == other.exe()
}
