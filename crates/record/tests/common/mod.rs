//! Events for tests.
#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use whybox_record::{
    Coverage, DeniedBy, DeniedByKind, Errno, Event, Operation, OrdinaryPermissions, Process,
    Recorder, Target, Violations, Witness,
};

pub(crate) fn at(second: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000 + second)
}

pub(crate) fn reason(kind: DeniedByKind) -> Arc<DeniedBy> {
    Arc::new(DeniedBy::new(kind))
}

pub(crate) fn read(pid: u32, path: &str) -> Event {
    event(
        Operation::FileReadData,
        pid,
        "cat",
        Target::path(path.as_bytes()),
    )
}

pub(crate) fn event(operation: Operation, pid: u32, name: &str, target: Target) -> Event {
    Event::new(
        operation,
        target,
        Arc::new(Process::new(pid, 1, name.as_bytes())),
        reason(DeniedByKind::NotGranted),
        Errno::EACCES,
        Witness::Ghost,
        at(0),
    )
}

/// A system call that is always refused, with its class.
pub(crate) fn call(pid: u32, name: &str, call: &str, class: &str) -> Event {
    let mut event = event(
        Operation::SystemCall,
        pid,
        name,
        Target::call(call.as_bytes()),
    );
    event.denied_by = Arc::new(DeniedBy::new(DeniedByKind::HardDeny).with_class(class));
    event.errno = Errno::EPERM;
    event
}

pub(crate) fn record(events: impl IntoIterator<Item = Event>) -> Violations {
    let mut recorder = Recorder::new();
    for event in events {
        recorder.record(event);
    }
    let (entries, dropped) = recorder.snapshot();
    Violations::new(entries, dropped, Coverage::new(), true)
}

/// Bytes that a hostile program would choose: mostly what separates the parts of
/// a line, escapes, and text that is not UTF-8.
pub(crate) fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop_oneof![
        Just(b"/".to_vec()),
        Just(b" ".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\\".to_vec()),
        Just(b"\"".to_vec()),
        Just(b"\\x41".to_vec()),
        Just(b"\x1b[2J".to_vec()),
        Just(b") refused signal (".to_vec()),
        Just(b" with ".to_vec()),
        Just(b"[1]".to_vec()),
        Just("\u{202e}\u{200b}\u{9b}\u{3000}".as_bytes().to_vec()),
        Just("e\u{301}\u{301}\u{301}".as_bytes().to_vec()),
        Just(b"\xff\xc3".to_vec()),
        Just(b"a".to_vec()),
        any::<char>().prop_map(|c| c.to_string().into_bytes()),
        proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

pub(crate) fn any_of<T: Copy + std::fmt::Debug + 'static>(
    all: &'static [T],
) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

/// Any event at all.
pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    let process = (
        any::<u32>(),
        any::<u32>(),
        hostile(),
        proptest::option::of(hostile()),
    );
    let reason = (
        any_of(DeniedByKind::ALL),
        proptest::option::of("[a-z]{0,4}"),
        proptest::option::of(".{0,8}"),
        proptest::option::of(".{0,8}"),
    );
    let target = || (any_of(whybox_record::TargetType::ALL), hostile());
    let flags = (
        any::<bool>(),
        proptest::option::of(any::<bool>()),
        any_of(OrdinaryPermissions::ALL),
        any_of(Witness::ALL),
        any_of(whybox_record::Kind::ALL),
    );
    let what = (any_of(Operation::ALL), any::<i32>(), 0u64..1 << 40);
    (
        what,
        target(),
        proptest::option::of(target()),
        process,
        reason,
        flags,
    )
        .prop_map(
            |((operation, errno, nanos), target, other, (pid, ppid, name, exe), reason, flags)| {
                let mut process = Process::new(pid, ppid, &name);
                if let Some(exe) = exe {
                    process = process.with_exe(&exe);
                }
                let mut denied_by = DeniedBy::new(reason.0);
                (denied_by.class, denied_by.rule, denied_by.source) =
                    (reason.1, reason.2, reason.3);
                let mut event = Event::new(
                    operation,
                    Target::new(target.0, &target.1),
                    Arc::new(process),
                    Arc::new(denied_by),
                    Errno::from_raw(errno),
                    flags.3,
                    at(0) + Duration::from_nanos(nanos),
                );
                event.other_target = other.map(|(kind, bytes)| Target::new(kind, &bytes));
                (event.exact, event.exists, event.ordinary_permissions) =
                    (flags.0, flags.1, flags.2);
                event.with_kind(flags.4)
            },
        )
}
