//! The comparison of what was tried with what is recorded (X2).

mod fit;
mod tally;

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use whybox_record::{Class, Kind, Operation, OrdinaryPermissions, Violation, quiet};

use crate::attempt::{Attempt, Attempts, Place};
use crate::calls::Wish;
pub use fit::{Group, fits, groups};
pub use tally::{Difference, Explanation, Tally, Verdict};

/// What the host answers to an attempt without a cage.
pub trait Host {
    /// Tries it.
    ///
    /// # Errors
    /// The name of the error.
    fn answer(&self, attempt: &Attempt, place: &Place) -> Result<(), String>;

    /// Whether the file is a script, so that its interpreter is the program that runs.
    fn is_script(&self, path: &Path) -> bool;
}

/// Compares. With `quiet`, the quiet list was in force in the run.
///
/// A call that failed and has no entry must have one of the explanations; an entry must have
/// failing calls, and as many as it counts.
#[must_use]
pub fn judge(attempts: &Attempts, entries: &[Violation], host: &impl Host, quiet: bool) -> Verdict {
    let mut verdict = Verdict::default();
    let groups = groups(entries);
    let mut found = vec![0_u64; groups.len()];
    // Calls whose process was killed before it had the answer: the record may have them.
    let mut open = vec![0_u64; groups.len()];
    let mut truths: Vec<Option<OrdinaryPermissions>> = vec![None; groups.len()];
    let mut by_process: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        by_process
            .entry(group.entry.process.pid())
            .or_default()
            .push(index);
    }
    let none = Vec::new();
    for attempt in &attempts.all {
        let of_process = by_process.get(&attempt.process).unwrap_or(&none);
        let fitting = of_process
            .iter()
            .copied()
            .filter_map(|index| Some((index, groups.get(index)?)))
            .filter(|(_, group)| fits(attempt, group.entry))
            // A walk ends at the first name that is refused on the way.
            .min_by_key(|(_, group)| group.entry.operation != Operation::FileLookup);
        if !attempt.ended() {
            if let Some((index, _)) = fitting {
                open.get_mut(index)
                    .into_iter()
                    .for_each(|count| *count += 1);
            }
            continue;
        }
        if attempt.errno().is_none() {
            // A name that the cage has its own directory for may be made there.
            if let Some((index, _)) = fitting {
                verdict.made_over_shadow += 1;
                found
                    .get_mut(index)
                    .into_iter()
                    .for_each(|count| *count += 1);
            }
            continue;
        }
        verdict.failing += 1;
        if let Some((index, group)) = fitting {
            found
                .get_mut(index)
                .into_iter()
                .for_each(|count| *count += 1);
            verdict.tally(group.entry.operation).matched += 1;
            if let Some(truth) = truths.get_mut(index) {
                *truth = (*truth).max(permissions(attempt, group.entry, host));
            }
            if found.get(index) == Some(&1) {
                check_process(attempt, attempts.init, group.entry, host, &mut verdict);
            }
            continue;
        }
        // A limit of its own a process may fail to raise by ordinary permissions.
        let always = attempt.wish.is_none() && attempt.call.name != "prlimit64";
        if always && matches!(attempt.errno(), Some("EPERM" | "ENOSYS")) {
            verdict.tally(Operation::SystemCall).missed += 1;
            let missed = Difference::Missed(Box::new(attempt.clone()));
            verdict.differences.push(missed);
            continue;
        }
        if attempt.writes || attempt.wish.is_none() {
            // Only what can be told of it must be true; it need not be told yet.
            verdict.beside += 1;
            continue;
        }
        match explain(attempt, attempts, entries, host, quiet) {
            Some(explanation) => verdict.explain(attempt, explanation),
            None => {
                let operation = attempt.operations.first().copied();
                verdict
                    .tally(operation.unwrap_or(Operation::FileReadData))
                    .missed += 1;
                verdict
                    .differences
                    .push(Difference::Missed(Box::new(attempt.clone())));
            }
        }
    }
    for (((group, found), open), truth) in groups.iter().zip(found).zip(open).zip(truths) {
        check_count(group, found, open, &mut verdict);
        // Of calls that differ, an entry tells what excuses the sandbox least.
        if let Some(truth) = truth.filter(|truth| *truth != group.entry.ordinary_permissions) {
            verdict.differences.push(Difference::Permissions(
                Box::new(group.entry.clone()),
                truth,
            ));
        }
    }
    verdict
}

/// The explanation of a failing call without an entry, if there is one.
fn explain(
    attempt: &Attempt,
    attempts: &Attempts,
    entries: &[Violation],
    host: &impl Host,
    quiet: bool,
) -> Option<Explanation> {
    let errno = attempt.errno()?;
    let Some(place) = attempt.paths.first() else {
        // The path could not be read, or the descriptor is none.
        return matches!(errno, "EFAULT" | "EBADF" | "ENAMETOOLONG")
            .then(|| Explanation::NoRefusal(format!("{errno}, no path to speak of")));
    };
    if errno == "EBADF" {
        return Some(Explanation::NoRefusal(
            "EBADF, not open for that".to_owned(),
        ));
    }
    let end = &place.walk.end;
    let silenced = |operation: &Operation| {
        quiet::find(*operation, end.as_os_str().as_encoded_bytes()).filter(|_| quiet)
    };
    let quieted = attempt.operations.iter().find_map(silenced);
    let beneath = |top: &str| end.starts_with(top);
    match host.answer(attempt, place) {
        Err(same) if same == errno => Some(if matches!(errno, "EACCES" | "EPERM") {
            Explanation::Ordinary
        } else {
            Explanation::NoRefusal(format!("{errno} on the host too"))
        }),
        // A file system without attributes of a sort says so in another word.
        Err(other)
            if attempt.wish == Some(Wish::Xattr)
                && is_no_attribute(errno)
                && is_no_attribute(&other) =>
        {
            Some(Explanation::NoRefusal(format!(
                "{errno}, where the host says {other}"
            )))
        }
        // An overlay remembers that a name is not there, and then asks nobody.
        _ if errno == "ENOENT" && entries.iter().any(|entry| fit::shadows(entry, place)) => {
            Some(Explanation::NoRefusal(
                "ENOENT of the own /tmp; that the host has the name is told once".to_owned(),
            ))
        }
        _ if quieted.is_some() => quieted.map(|item| Explanation::Quiet(item.id)),
        _ if beneath("/proc") => Some(Explanation::NoRefusal(format!("{errno} of the own /proc"))),
        _ if beneath("/dev") => Some(Explanation::NoRefusal(format!("{errno} of the own /dev"))),
        _ if !matches!(errno, "EACCES" | "EPERM") && attempts.changed.contains(end) => Some(
            Explanation::NoRefusal(format!("{errno} of what the run itself made or removed")),
        ),
        _ if attempt.wish == Some(Wish::Exec) && errno == "EACCES" => {
            Some(Explanation::NotObserved("executing"))
        }
        _ if attempt.wish == Some(Wish::Access) && errno == "EROFS" => {
            Some(Explanation::NotObserved("writing where reading is granted"))
        }
        _ => None,
    }
}

fn is_no_attribute(errno: &str) -> bool {
    matches!(errno, "ENODATA" | "EOPNOTSUPP")
}

/// V2: parent and program are those that the trace tells. Number and name fit already.
fn check_process(
    attempt: &Attempt,
    init: Option<u32>,
    entry: &Violation,
    host: &impl Host,
    verdict: &mut Verdict,
) {
    let parent = entry.process.ppid();
    if parent != attempt.parent && Some(parent) != init {
        verdict
            .differences
            .push(Difference::Parent(Box::new(entry.clone()), attempt.parent));
    }
    let program = &attempt.program;
    if entry.process.exe() != Some(program.as_os_str().as_bytes()) && !host.is_script(program) {
        verdict.differences.push(Difference::Program(
            Box::new(entry.clone()),
            program.clone(),
        ));
    }
}

/// X3: what the host answers to a plain read, which the entry should say.
fn permissions(
    attempt: &Attempt,
    entry: &Violation,
    host: &impl Host,
) -> Option<OrdinaryPermissions> {
    let plain = entry.operation == Operation::FileReadData && !attempt.writes;
    let place = attempt.paths.first().filter(|_| plain)?;
    match host.answer(attempt, place) {
        Ok(()) => Some(OrdinaryPermissions::Allow),
        Err(errno) if matches!(errno.as_str(), "EACCES" | "EPERM") => {
            Some(OrdinaryPermissions::Deny)
        }
        Err(_) => None,
    }
}

/// `open` calls may be among those that the entry counts, besides the `found` ones.
fn check_count(group: &Group<'_>, found: u64, open: u64, verdict: &mut Verdict) {
    let tally = verdict.tally(group.entry.operation);
    tally.recorded += group.repeats;
    tally.supported += group.repeats.min(found + open);
    // A call may have asked nobody: see above; and of changes not all need be told yet.
    let change = group.entry.class == Class::FileWrite && group.entry.kind == Kind::Denial;
    let counts = !change && group.entry.kind != Kind::Shadowed;
    if found + open == 0 {
        verdict
            .differences
            .push(Difference::Invented(Box::new(group.entry.clone())));
    } else if (counts && found > group.repeats) || found + open < group.repeats {
        let difference = Difference::Count {
            entry: Box::new(group.entry.clone()),
            recorded: group.repeats,
            found,
        };
        verdict.differences.push(difference);
    }
}
