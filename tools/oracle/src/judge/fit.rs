//! Whether an entry tells of a call.

use std::os::unix::ffi::OsStrExt;

use whybox_record::{Kind, Operation, TargetType, Violation};

use crate::attempt::{Attempt, Place};
use crate::calls::Wish;

/// Entries that differ only in what a trace cannot tell, such as the rule.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// The first of them.
    pub entry: &'a Violation,
    /// What they count together.
    pub repeats: u64,
}

/// Puts entries together that the same calls fit.
#[must_use]
pub fn groups(entries: &[Violation]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for entry in entries {
        match groups.iter_mut().find(|group| is_alike(group.entry, entry)) {
            Some(group) => group.repeats += entry.repeats,
            None => groups.push(Group {
                entry,
                repeats: entry.repeats,
            }),
        }
    }
    groups
}

fn is_alike(one: &Violation, other: &Violation) -> bool {
    one.process.pid() == other.process.pid()
        && one.target == other.target
        && one.other_target == other.other_target
        && one.operation == other.operation
        && one.kind == other.kind
        && one.errno == other.errno
        && one.process.name() == other.process.name()
}

/// Whether an entry tells of this call: the same process under the same number and name, the
/// same error, the operation that was wanted, and the absolute path.
#[must_use]
pub fn fits(attempt: &Attempt, entry: &Violation) -> bool {
    if entry.process.pid() != attempt.process || entry.process.name() != attempt.comm {
        return false;
    }
    match attempt.errno() {
        Some(errno) if entry.errno.name() != Some(errno) => return false,
        None if attempt.ended() && entry.kind != Kind::Shadowed => return false,
        _ => {}
    }
    if entry.operation == Operation::SystemCall {
        let text = entry.target.bytes();
        let name = text.split(|byte| *byte == b'(').next();
        return attempt.wish.is_none() && name == Some(attempt.call.name.as_bytes());
    }
    if entry.target.target_type() != TargetType::Path {
        return false;
    }
    let asked = matches!(attempt.wish, Some(Wish::Access | Wish::Enter));
    let target = entry.target.bytes();
    let at_end = attempt
        .paths
        .iter()
        .any(|place| place.walk.end.as_os_str().as_bytes() == target);
    let on_the_way = || {
        let mut passed = attempt.paths.iter().flat_map(|place| &place.walk.passed);
        passed.any(|path| path.as_os_str().as_bytes() == target)
    };
    match entry.kind {
        Kind::AccessCheck => asked && at_end && attempt.operations.contains(&entry.operation),
        Kind::NotExamined => at_end || on_the_way(),
        Kind::Denial | Kind::Shadowed | Kind::Absent
            if entry.operation == Operation::FileLookup =>
        {
            on_the_way() || at_end
        }
        Kind::Denial => !asked && at_end && attempt.operations.contains(&entry.operation),
        _ => false,
    }
}

/// Whether an entry tells that the cage has its own directory over a name on the way to `place`.
#[must_use]
pub(super) fn shadows(entry: &Violation, place: &Place) -> bool {
    let target = entry.target.bytes();
    let passed = &place.walk.passed;
    entry.kind == Kind::Shadowed
        && passed
            .iter()
            .any(|path| path.as_os_str().as_bytes() == target)
}
