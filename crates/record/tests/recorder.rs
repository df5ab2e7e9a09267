//! The store: merging (V5), the bound (V10), fairness (X6).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::HashMap;
use std::sync::Arc;

use common::{any_event, at, call, event, read, reason};
use proptest::prelude::*;
use whybox_record::{
    Class, DeniedBy, DeniedByKind, Errno, Event, Kind, Operation, OrdinaryPermissions, Process,
    Recorded, Recorder, Target,
};

fn is_new(recorded: Recorded) -> bool {
    matches!(recorded, Recorded::New(_))
}

/// V5: the same process, operation, target and rule are one entry.
#[test]
fn identical_events_are_one_entry() {
    let mut recorder = Recorder::new();
    let mut first = read(7, "/a");
    first.time = at(5);
    assert_eq!(recorder.record(first), Recorded::New(1));
    for second in [9, 3] {
        let mut again = read(7, "/a");
        again.time = at(second);
        assert_eq!(recorder.record(again), Recorded::Repeat(1));
    }
    let (entries, dropped) = recorder.snapshot();
    assert_eq!(entries.len(), 1);
    let entry = &entries[0];
    assert_eq!((entry.repeats, entry.first, entry.last), (3, at(3), at(9)));
    assert_eq!(dropped.total(), 0);
    assert_eq!(recorder.get(1), Some(entry));
    assert_eq!((recorder.get(0), recorder.get(2)), (None, None));
}

/// V5: whatever is part of the identity parts two entries.
#[test]
fn different_events_are_different_entries() {
    let base = || read(7, "/a");
    let named = |pid, name: &[u8], exe: &[u8]| {
        let mut event = base();
        event.process = Arc::new(Process::new(pid, 1, name).with_exe(exe));
        event
    };
    let mut operation = base();
    operation.operation = Operation::FileWriteData;
    let mut errno = base();
    errno.errno = Errno::EPERM;
    let mut by_rule = base();
    by_rule.denied_by = Arc::new(DeniedBy::new(DeniedByKind::Hidden).with_rule("--hide /a"));
    let mut by_other_rule = base();
    by_other_rule.denied_by = Arc::new(DeniedBy::new(DeniedByKind::Hidden).with_rule("--hide /"));
    let mut target_type = base();
    target_type.target = Target::call(b"/a");
    let events = [
        base(),
        read(8, "/a"),
        read(7, "/b"),
        named(7, b"dog", b""),
        named(7, b"dog", b"/bin/dog"),
        operation,
        errno,
        by_rule,
        by_other_rule,
        target_type,
        base().with_kind(Kind::AccessCheck),
        base().with_other_target(Target::path(b"/b")),
    ];
    let mut recorder = Recorder::new();
    for (position, event) in events.iter().enumerate() {
        let id = position as u64 + 1;
        assert_eq!(
            recorder.record(event.clone()),
            Recorded::New(id),
            "{event:?}"
        );
    }
    for (position, event) in events.into_iter().enumerate() {
        let id = position as u64 + 1;
        assert_eq!(recorder.record(event), Recorded::Repeat(id));
    }
}

/// A parent that ended does not make another process of its child.
#[test]
fn a_new_parent_is_no_new_process() {
    let mut recorder = Recorder::new();
    recorder.record(read(7, "/a"));
    let mut orphan = read(7, "/a");
    orphan.process = Arc::new(Process::new(7, 999, b"cat"));
    assert_eq!(recorder.record(orphan), Recorded::Repeat(1));
}

/// V9: an entry claims no more than the weakest of its events, and X3: it excuses
/// the sandbox only if all of them do.
#[test]
fn a_merged_entry_claims_the_least() {
    let mut recorder = Recorder::new();
    let deny = OrdinaryPermissions::Deny;
    recorder.record(
        read(7, "/a")
            .with_ordinary_permissions(deny)
            .with_exists(false),
    );
    recorder.record(read(7, "/a").with_exact(false));
    let allow = OrdinaryPermissions::Allow;
    recorder.record(
        read(7, "/a")
            .with_ordinary_permissions(allow)
            .with_exists(true),
    );
    recorder.record(read(7, "/a").with_ordinary_permissions(deny));
    let entry = recorder.get(1).unwrap();
    assert!(!entry.exact);
    assert_eq!(
        (entry.ordinary_permissions, entry.exists),
        (allow, Some(true))
    );
}

/// One event of everything that is not the flood's own operation and reason.
fn later_events(pid: u32, flooded: Operation) -> Vec<Event> {
    let mut events: Vec<Event> = Operation::ALL
        .iter()
        .filter(|operation| **operation != flooded)
        .map(|operation| event(*operation, pid, "late", Target::path(b"/late")))
        .collect();
    events.push(call(pid, "late", "ptrace(PTRACE_ATTACH, 1)", "ptrace"));
    events.push(call(pid, "late", "bpf(BPF_PROG_LOAD)", "bpf"));
    let mut hidden = read(pid, "/home/u/.env");
    hidden.denied_by = Arc::new(DeniedBy::new(DeniedByKind::Hidden).with_rule("--hide .env"));
    events.push(hidden);
    events
}

/// Floods, and then checks that nothing else was kept out (X6), that the bound
/// holds (V10), and that every event is in an entry or counted as dropped.
fn survives(flood: impl IntoIterator<Item = Event>, late_pid: u32) -> Recorder {
    let mut flood = flood.into_iter().peekable();
    let flooded = flood.peek().unwrap().operation;
    let mut recorder = Recorder::new();
    let mut sent: HashMap<Class, u64> = HashMap::new();
    let mut record = |recorder: &mut Recorder, event: Event| {
        *sent.entry(event.class()).or_default() += 1;
        recorder.record(event)
    };
    for event in flood {
        record(&mut recorder, event);
    }
    assert!(recorder.dropped().total() > 0, "that was no flood");
    for event in later_events(late_pid, flooded) {
        let text = format!("{event:?}");
        assert!(is_new(record(&mut recorder, event)), "{text}");
    }
    assert!(recorder.len() <= Recorder::CAPACITY);
    let (entries, dropped) = recorder.snapshot();
    for class in Class::ALL {
        let kept: u64 = entries
            .iter()
            .filter(|entry| entry.class == *class)
            .map(|entry| entry.repeats)
            .sum();
        let sent = sent.get(class).copied().unwrap_or(0);
        assert_eq!(kept + dropped.get(*class), sent, "{class}");
    }
    recorder
}

/// H12: refusals under changing process names do not push out a later ptrace.
#[test]
fn changing_names_keep_nothing_out() {
    let flood = (0..11_000).map(|n| call(7, &format!("name{n}"), "mount(\"/\")", "mounts"));
    let recorder = survives(flood, 7);
    // And the flood has left room for its own kind from someone else.
    let mut recorder = recorder;
    assert!(is_new(recorder.record(call(
        8,
        "other",
        "mount(\"/\")",
        "mounts"
    ))));
}

/// X6: one process with very many targets.
#[test]
fn one_process_keeps_nothing_out() {
    let mut recorder = survives((0..30_000).map(|n| read(7, &format!("/{n}"))), 7);
    for pid in 100..150 {
        assert!(is_new(recorder.record(read(pid, "/mine"))), "{pid}");
    }
}

/// X6: very many processes, with few and with many targets each.
#[test]
fn many_processes_keep_nothing_out() {
    survives((0..30_000).map(|n| read(n, "/x")), 99_999);
    let flood = (0..60_000).map(|n| read(n % 300, &format!("/{}", n / 300)));
    survives(flood, 99_999);
}

/// X6: a few greedy processes, one after the other, leave room for others in the
/// very same operation.
#[test]
fn greedy_processes_leave_room_for_others() {
    let flood = (0..12).flat_map(|pid| (0..12_000).map(move |n| read(pid, &format!("/{n}"))));
    let mut recorder = survives(flood, 99_999);
    for pid in 1000..1100 {
        assert!(is_new(recorder.record(read(pid, "/mine"))), "{pid}");
    }
}

/// X6: a flood in every operation but one.
#[test]
fn a_flood_in_all_operations_but_one() {
    for spared in Operation::ALL.iter().step_by(6) {
        let others = Operation::ALL.iter().filter(|o| *o != spared);
        let flood = others.flat_map(|operation| {
            (0..1_500).map(move |n| event(*operation, n, "x", Target::call(b"x")))
        });
        let mut recorder = Recorder::new();
        for event in flood {
            recorder.record(event);
        }
        assert!(recorder.dropped().total() > 0);
        for pid in 0..8 {
            let event = event(*spared, pid, "late", Target::call(b"late"));
            assert!(is_new(recorder.record(event)), "{spared}");
        }
    }
}

/// X6: whoever comes after a greedy process gets a fair part, not only a few entries.
#[test]
fn one_greedy_process_leaves_a_fair_part() {
    let mut recorder = survives((0..20_000).map(|n| read(7, &format!("/{n}"))), 7);
    let kept = (0..2_000)
        .filter(|n| is_new(recorder.record(read(8, &format!("/{n}")))))
        .count();
    assert!(kept > 1_000, "{kept}");
}

/// X6: a flood by many processes, refused by more rules than there is room for their
/// first entries, leaves room for other operations, and for a class that shares its
/// operations with it.
#[test]
fn a_flood_under_many_rules_keeps_nothing_out() {
    let flood = |operation: Operation, target: fn() -> Target| {
        let mut recorder = Recorder::new();
        for n in 0..40_000 {
            let mut event = event(operation, n, "x", target());
            let rule = format!("--rule {}", n % 4_000);
            event.denied_by = Arc::new(DeniedBy::new(DeniedByKind::Hidden).with_rule(rule));
            recorder.record(event);
        }
        assert!(recorder.dropped().total() > 0);
        recorder
    };
    let mut recorder = flood(Operation::FileReadData, || Target::path(b"/x"));
    for operation in Operation::ALL {
        if *operation != Operation::FileReadData {
            let event = event(*operation, 99_999, "late", Target::path(b"/late"));
            assert!(is_new(recorder.record(event)), "{operation}");
        }
    }
    let mut recorder = flood(Operation::NetworkOutbound, || Target::address("1.2.3.4:5"));
    for n in 0..8 {
        let socket = Target::path(format!("/run/{n}").as_bytes());
        let event = event(Operation::NetworkOutbound, 99_999, "late", socket);
        assert!(is_new(recorder.record(event)), "{n}");
    }
}

/// V10, V11: the longest names there are do not take more memory than the bound.
#[test]
fn long_names_are_bounded_in_memory() {
    let mut recorder = Recorder::new();
    let tail = "y".repeat(6_000);
    for n in 0..12_000 {
        let mut event = read(n, &format!("/{n}{tail}"));
        event.other_target = Some(Target::path(format!("/{n}{tail}").as_bytes()));
        let process = Process::new(n, 1, tail.as_bytes()).with_exe(tail.as_bytes());
        event.process = Arc::new(process);
        recorder.record(event);
    }
    let (entries, _) = recorder.snapshot();
    let bytes: usize = entries
        .iter()
        .map(|entry| {
            let other = entry.other_target.as_ref().unwrap();
            assert!(entry.target.is_cut() && entry.process.name().len() <= Process::NAME_MAX);
            entry.target.bytes().len() + other.bytes().len() + entry.process.exe().unwrap().len()
        })
        .sum();
    assert!(!entries.is_empty());
    assert!(bytes < 12 * 1024 * 1024, "{bytes}");
}

/// V10: a smaller store holds what it says, and no more.
#[test]
fn smaller_stores_hold_what_they_say() {
    for capacity in [0, 1, 5, 10, 399, 400, 1_000, 20_000] {
        let mut recorder = Recorder::with_capacity(capacity);
        for n in 0..12_000 {
            recorder.record(read(n, "/x"));
        }
        let bound = capacity.min(Recorder::CAPACITY);
        assert!(recorder.len() <= bound, "{} of {capacity}", recorder.len());
        assert!(
            recorder.len() >= bound / 2,
            "{} of {capacity}",
            recorder.len()
        );
        assert_eq!(recorder.len() as u64 + recorder.dropped().total(), 12_000);
    }
}

/// A socket with a path counts as a Unix socket, with an address as network.
#[test]
fn classes_follow_the_target() {
    let path = event(Operation::NetworkOutbound, 1, "x", Target::path(b"/run/x"));
    let address = event(
        Operation::NetworkOutbound,
        1,
        "x",
        Target::address("1.2.3.4:5"),
    );
    assert_eq!(path.class(), Class::UnixSocket);
    assert_eq!(address.class(), Class::Network);
    assert_eq!(reason(DeniedByKind::Hidden).kind, DeniedByKind::Hidden);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// V5, V10: in any order and mix, every event is in exactly one entry or counted
    /// as dropped, ids count from 1, and no two entries are identical.
    #[test]
    fn every_event_is_accounted_for(
        events in proptest::collection::vec(any_event(), 1..12),
        order in proptest::collection::vec(any::<prop::sample::Index>(), 0..200),
        capacity in 0usize..12,
    ) {
        let mut recorder = Recorder::with_capacity(capacity);
        for index in &order {
            let before = recorder.len() as u64;
            let event = index.get(&events).clone();
            match recorder.record(event.clone()) {
                Recorded::New(id) => prop_assert_eq!(id, before + 1),
                Recorded::Repeat(id) => {
                    let entry = recorder.get(id).unwrap();
                    prop_assert_eq!(&entry.target, &event.target);
                    prop_assert!(entry.repeats > 1);
                }
                _ => prop_assert!(recorder.len() <= capacity),
            }
        }
        let (entries, dropped) = recorder.snapshot();
        let kept: u64 = entries.iter().map(|entry| entry.repeats).sum();
        prop_assert_eq!(kept + dropped.total(), order.len() as u64);
        prop_assert!(entries.len() <= capacity);
        for (position, entry) in entries.iter().enumerate() {
            prop_assert_eq!(entry.id, position as u64 + 1);
        }
    }
}
