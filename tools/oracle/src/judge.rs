//! The comparison of what was tried with what is recorded (X2).

mod fit;
mod tally;

use std::collections::BTreeMap;
use std::path::Path;

use whybox_record::{Kind, Operation, OrdinaryPermissions, Violation, quiet};

use crate::attempt::{Attempt, Attempts, Place};
use crate::calls::Wish;
pub use fit::{Group, fits, groups};
pub use tally::{Difference, Explanation, Tally, Verdict};

/// What the host answers to an attempt without a cage: the name of the error, or nothing.
pub trait Host {
    /// Tries it.
    fn answer(&self, attempt: &Attempt, place: &Place) -> Result<(), String>;
}

/// Compares. With `quiet`, the quiet list was in force in the run.
///
/// A call that failed and has no entry must have one of the explanations; an entry must have
/// failing calls, and as many as it counts.
#[must_use]
pub fn judge(
    attempts: &Attempts,
    entries: &[Violation],
    host: &impl Host,
    quiet: bool,
) -> Verdict {
    let mut verdict = Verdict::default();
    let groups = groups(entries);
    let mut found = vec![0_u64; groups.len()];
    let mut by_process: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        by_process.entry(group.entry.process.pid()).or_default().push(index);
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
        if attempt.errno().is_none() {
            // A name that the cage has its own directory for may be made there.
            if let Some((index, _)) = fitting {
                verdict.made_over_shadow += 1;
                found.get_mut(index).into_iter().for_each(|count| *count += 1);
            }
            continue;
        }
        verdict.failing += 1;
        if let Some((index, group)) = fitting {
            found.get_mut(index).into_iter().for_each(|count| *count += 1);
            verdict.tally(group.entry.operation).matched += 1;
            check_permissions(attempt, group.entry, host, &mut verdict);
            continue;
        }
        if attempt.writes || attempt.wish.is_none() {
            // Only what can be told of it must be true; it need not be told yet.
            verdict.beside += 1;
            continue;
        }
        match explain(attempt, attempts, host, quiet) {
            Some(explanation) => verdict.explain(attempt, explanation),
            None => {
                let operation = attempt.operations.first().copied();
                verdict.tally(operation.unwrap_or(Operation::FileReadData)).missed += 1;
                verdict.differences.push(Difference::Missed(Box::new(attempt.clone())));
            }
        }
    }
    for (group, found) in groups.iter().zip(found) {
        check_count(group, found, &mut verdict);
    }
    verdict
}

/// The explanation of a failing call without an entry, if there is one.
fn explain(
    attempt: &Attempt,
    attempts: &Attempts,
    host: &impl Host,
    quiet: bool,
) -> Option<Explanation> {
    let errno = attempt.errno()?;
    let Some(place) = attempt.paths.first() else {
        // The path could not be read, or the descriptor is none.
        return matches!(errno, "EFAULT" | "EBADF" | "ENAMETOOLONG")
            .then(|| Explanation::NoRefusal(format!("{errno}, no path to speak of")));
    };
    let end = &place.walk.end;
    if quiet {
        let silenced = |operation: &Operation, path: &Path| {
            quiet::find(*operation, path.as_os_str().as_encoded_bytes())
        };
        let item = attempt.operations.iter().find_map(|operation| silenced(operation, end));
        if let Some(item) = item {
            return Some(Explanation::Quiet(item.id));
        }
    }
    let beneath = |top: &str| end.starts_with(top);
    match host.answer(attempt, place) {
        Err(same) if same == errno => Some(if matches!(errno, "EACCES" | "EPERM") {
            Explanation::Ordinary
        } else {
            Explanation::NoRefusal(format!("{errno} on the host too"))
        }),
        _ if beneath("/proc") => Some(Explanation::NoRefusal(format!("{errno} of the own /proc"))),
        _ if beneath("/dev") => Some(Explanation::NoRefusal(format!("{errno} of the own /dev"))),
        _ if errno == "ENOENT" && attempts.changed.contains(end) => {
            Some(Explanation::NoRefusal("ENOENT before the run made it, or after it removed it".to_owned()))
        }
        _ if attempt.wish == Some(Wish::Exec) && errno == "EACCES" => Some(Explanation::NotObserved),
        _ => None,
    }
}

/// X3: what the entry says of ordinary permissions is what the host answers.
fn check_permissions(attempt: &Attempt, entry: &Violation, host: &impl Host, verdict: &mut Verdict) {
    let plain = entry.operation == Operation::FileReadData && !attempt.writes;
    let Some(place) = attempt.paths.first().filter(|_| plain) else {
        return;
    };
    let truth = match host.answer(attempt, place) {
        Ok(()) => OrdinaryPermissions::Allow,
        Err(errno) if matches!(errno.as_str(), "EACCES" | "EPERM") => OrdinaryPermissions::Deny,
        Err(_) => return,
    };
    if entry.ordinary_permissions != truth {
        verdict.differences.push(Difference::Permissions(Box::new(entry.clone()), truth));
    }
}

fn check_count(group: &Group<'_>, found: u64, verdict: &mut Verdict) {
    let tally = verdict.tally(group.entry.operation);
    tally.recorded += group.repeats;
    tally.supported += group.repeats.min(found);
    // An overlay remembers that a name is not there, and then asks nobody.
    let counts = group.entry.kind != Kind::Shadowed;
    if found == 0 {
        verdict.differences.push(Difference::Invented(Box::new(group.entry.clone())));
    } else if (counts && found != group.repeats) || found < group.repeats {
        let difference = Difference::Count {
            entry: Box::new(group.entry.clone()),
            recorded: group.repeats,
            found,
        };
        verdict.differences.push(difference);
    }
}
