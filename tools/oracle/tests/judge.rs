//! The comparison finds what is missing, invented or miscounted (X2), and accepts only its
//! explanations.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use whybox_oracle::attempt::{Attempt, Attempts, Place, attempts};
use whybox_oracle::judge::{Difference, Explanation, Host, Verdict, judge};
use whybox_oracle::trace::events;
use whybox_record::{
    DeniedBy, DeniedByKind, Errno, Event, Kind, Operation, OrdinaryPermissions, Process, Recorder,
    Target, Violation, Witness,
};

/// A host that gives every question the same answer.
struct Answers(Result<(), &'static str>);

impl Host for Answers {
    fn answer(&self, _: &Attempt, _: &Place) -> Result<(), String> {
        self.0.map_err(str::to_owned)
    }

    fn is_script(&self, _: &Path) -> bool {
        false
    }
}

const LAUNCH: &str = r#"1<\x77> clone(child_stack=NULL, flags=SIGCHLD) = 1<\x77> /* 20 in strace's PID NS */
20<\x77> openat(AT_FDCWD<\x2f\x6f>, "\x6e", O_RDONLY) = -1 EACCES (Permission denied)
20<\x77> seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, {len=9, filter=0x7f}) = 5
20<\x77> openat(AT_FDCWD<\x2f\x6f>, "\x6e", O_RDONLY) = -1 EACCES (Permission denied)
20<\x77> execve("\x2f\x63", ["\x63"], 0x7f /* 1 var */) = 0
"#;

/// `/o/s` opened, in the process 20, named `c`.
const OPENED: &str =
    "20<\\x63> openat(AT_FDCWD<\\x2f\\x6f>, \"\\x73\", O_RDONLY) = -1 EACCES (Permission denied)\n";
const LOOKED: &str = "20<\\x63> newfstatat(AT_FDCWD<\\x2f\\x6f>, \"\\x68/\\x61/\\x62\", 0x7f, 0) = -1 EACCES (Permission denied)\n";
const ASKED: &str = "20<\\x63> access(\"\\x73\", R_OK) = -1 EACCES (Permission denied)\n";

fn tried(calls: &str) -> Attempts {
    let events = events(format!("{LAUNCH}{calls}").as_bytes()).unwrap();
    attempts(&events, Path::new("/o"), |_| None)
}

fn entry(operation: Operation, path: &str, kind: Kind, pid: u32, repeats: u64) -> Violation {
    let mut recorder = Recorder::new();
    for _ in 0..repeats {
        let event = Event::new(
            operation,
            Target::path(path.as_bytes()),
            Arc::new(Process::new(pid, 1, b"c").with_exe(b"/c")),
            Arc::new(DeniedBy::new(DeniedByKind::NotGranted)),
            Errno::EACCES,
            Witness::Ghost,
            UNIX_EPOCH,
        );
        recorder.record(
            event
                .with_kind(kind)
                .with_ordinary_permissions(OrdinaryPermissions::Allow),
        );
    }
    recorder.snapshot().0.remove(0)
}

fn verdict(calls: &str, entries: &[Violation], host: Result<(), &'static str>) -> Verdict {
    judge(&tried(calls), entries, &Answers(host), true)
}

#[test]
fn x2_a_true_record_has_no_difference() {
    let entries = [
        entry(Operation::FileReadData, "/o/s", Kind::Denial, 20, 2),
        entry(Operation::FileLookup, "/o/h/a", Kind::Denial, 20, 1),
        entry(Operation::FileReadData, "/o/s", Kind::AccessCheck, 20, 1),
    ];
    let verdict = verdict(&[OPENED, LOOKED, ASKED, OPENED].concat(), &entries, Ok(()));
    assert!(verdict.differences.is_empty(), "{:?}", verdict.differences);
    assert_eq!(verdict.failing, 4);
    assert_eq!(
        (verdict.total().recall(), verdict.total().precision()),
        (100, 100)
    );
}

#[test]
fn x2_a_call_without_an_entry_is_missed() {
    // The launch is not the command's doing, so only one call is.
    let verdict = verdict(OPENED, &[], Ok(()));
    assert!(matches!(verdict.differences[..], [Difference::Missed(_)]));
    assert_eq!(verdict.total().recall(), 0);
}

#[test]
fn x2_an_entry_of_something_else_is_no_excuse() {
    let wrong = [
        entry(Operation::FileReadData, "/o/t", Kind::Denial, 20, 1),
        entry(Operation::FileReadData, "/o/s", Kind::Denial, 21, 1),
        entry(Operation::FileReadMetadata, "/o/s", Kind::Denial, 20, 1),
        entry(Operation::FileReadData, "/o/s", Kind::AccessCheck, 20, 1),
        entry(Operation::FileLookup, "/o/s/below", Kind::Denial, 20, 1),
    ];
    for entry in wrong {
        let verdict = verdict(OPENED, std::slice::from_ref(&entry), Ok(()));
        assert!(
            matches!(
                verdict.differences[..],
                [Difference::Missed(_), Difference::Invented(_)]
            ),
            "{entry}: {:?}",
            verdict.differences
        );
        assert_eq!(
            (verdict.total().recall(), verdict.total().precision()),
            (0, 0)
        );
    }
}

#[test]
fn x2_counts_are_compared() {
    for repeats in [1, 3] {
        let entries = [entry(
            Operation::FileReadData,
            "/o/s",
            Kind::Denial,
            20,
            repeats,
        )];
        let verdict = verdict(&OPENED.repeat(2), &entries, Ok(()));
        let [
            Difference::Count {
                recorded, found, ..
            },
        ] = &verdict.differences[..]
        else {
            panic!("{:?}", verdict.differences)
        };
        assert_eq!((*recorded, *found), (repeats, 2));
    }
}

#[test]
fn x2_only_its_explanations_count() {
    let explained = |calls: &str, host| {
        let verdict = verdict(calls, &[], host);
        assert!(verdict.differences.is_empty(), "{:?}", verdict.differences);
        verdict.explained.into_keys().next().unwrap()
    };
    assert_eq!(explained(OPENED, Err("EACCES")), Explanation::Ordinary);
    let missing = OPENED.replace("EACCES", "ENOENT");
    assert!(matches!(
        explained(&missing, Err("ENOENT")),
        Explanation::NoRefusal(_)
    ));
    let quiet = r#"20<\x63> openat(AT_FDCWD<\x2f>, "/sys/fs/cgroup/cpu.max", O_RDONLY) = -1 EACCES (Permission denied)
"#;
    assert!(matches!(
        explained(quiet, Ok(())),
        Explanation::Quiet("cgroup-limits")
    ));
    // Another error on the host is none, nor is the quiet list where it is off.
    assert_eq!(verdict(&missing, &[], Err("EACCES")).differences.len(), 1);
    assert_eq!(
        judge(&tried(quiet), &[], &Answers(Ok(())), false)
            .differences
            .len(),
        1
    );
}

#[test]
fn x3_what_an_entry_says_of_ordinary_permissions_is_checked() {
    let entries = [entry(Operation::FileReadData, "/o/s", Kind::Denial, 20, 1)];
    let verdict = verdict(OPENED, &entries, Err("EACCES"));
    assert!(matches!(
        verdict.differences[..],
        [Difference::Permissions(_, OrdinaryPermissions::Deny)]
    ));
}

#[test]
fn v2_a_process_whose_number_is_not_told_has_its_maker_all_the_same() {
    // 31 ended before the tracer asked for its number, and is the cage's number 4.
    let calls = concat!(
        "20<\\x63> vfork() = 3<\\x63> /* 30 in strace's PID NS */\n",
        "20<\\x63> vfork() = 4\n",
        "30<\\x63> openat(AT_FDCWD<\\x2f\\x6f>, \"\\x73\", O_RDONLY) = -1 EACCES (Permission denied)\n",
        "31<\\x63> openat(AT_FDCWD<\\x2f\\x6f>, \"\\x73\", O_RDONLY) = -1 EACCES (Permission denied)\n",
    );
    let tried = tried(calls);
    let makers: Vec<(u32, u32)> = tried
        .all
        .iter()
        .map(|attempt| (attempt.process, attempt.parent))
        .collect();
    assert_eq!(makers, [(30, 20), (31, 20)]);
}

#[test]
fn v2_a_thread_that_executes_is_the_same_process() {
    let calls = concat!(
        "20<\\x63> clone(child_stack=0x7f, flags=CLONE_VM|CLONE_THREAD) = 3<\\x63> /* 21 in strace's PID NS */\n",
        "20<\\x63> vfork() = 4\n",
        "31<\\x63> chdir(\"\\x2f\") = 0\n",
        "21<\\x63> execve(\"\\x2f\\x63\", [\"\\x63\"], 0x7f /* 1 var */ <unfinished ...>\n",
        "20<\\x63> +++ superseded by execve in pid 21 +++\n",
        "20<\\x63> <... execve resumed>) = 0\n",
    );
    let tried = tried(&format!("{calls}{OPENED}"));
    let last = tried.all.last().unwrap();
    assert_eq!(
        (last.process, last.parent, &last.comm[..]),
        (20, 1, &b"c"[..])
    );
    assert_eq!(tried.processes.into_iter().collect::<Vec<_>>(), [20, 31]);
}

#[test]
fn l1_a_refused_call_has_its_entry() {
    let call = "20<\\x63> ptrace(PTRACE_TRACEME) = -1 EPERM (Operation not permitted)\n";
    assert_eq!(verdict(call, &[], Ok(())).differences.len(), 1);
}

#[test]
fn x2_a_call_whose_process_was_killed_may_be_recorded() {
    let cut = "20<\\x63> openat(AT_FDCWD<\\x2f\\x6f>, \"\\x73\", O_RDONLY) = ?\n";
    let entries = [entry(Operation::FileReadData, "/o/s", Kind::Denial, 20, 1)];
    assert!(verdict(cut, &entries, Ok(())).differences.is_empty());
    assert!(verdict(cut, &[], Ok(())).differences.is_empty());
    let twice = [entry(Operation::FileReadData, "/o/s", Kind::Denial, 20, 2)];
    assert_eq!(verdict(cut, &twice, Ok(())).differences.len(), 1);
}
