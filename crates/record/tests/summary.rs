//! What a person is told after a run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{read, record};
use whybox_record::{Coverage, Kind, OrdinaryPermissions, Recorder, Summary, Violations, summary};

#[test]
fn the_summary_reads_as_documented() {
    let record = record([
        read(815, "/home/u/app/.env"),
        read(816, "/home/u/.ssh/id_rsa"),
    ]);
    assert_eq!(
        summary(&record, false, 10).unwrap(),
        "whybox: 2 operations were refused\n  \
         cat[815] refused file-read-data /home/u/app/.env (no rule grants it)\n  \
         cat[816] refused file-read-data /home/u/.ssh/id_rsa (no rule grants it)\n"
    );
}

#[test]
fn one_is_singular_and_none_is_silent() {
    let one = summary(&record([read(1, "/a")]), false, 10).unwrap();
    assert!(
        one.starts_with("whybox: 1 operation was refused\n"),
        "{one}"
    );
    assert_eq!(summary(&record([]), true, 10), None);
}

#[test]
fn long_lists_are_folded() {
    let record = record((0..30).map(|n| read(n, "/a")));
    let text = summary(&record, false, 10).unwrap();
    assert!(
        text.starts_with("whybox: 30 operations were refused\n"),
        "{text}"
    );
    assert!(text.ends_with("\n  ... and 20 more (--report)\n"), "{text}");
    assert_eq!(text.lines().count(), 12);
    assert!(!summary(&record, false, 30).unwrap().contains("more"));
    assert_eq!(Summary::of(&record, false, 0).unwrap().folded, 30);
}

/// What programs expect, and what no grant would change, is not in the summary; the
/// same target as a denial is.
#[test]
fn only_what_explains_is_shown() {
    let deny = OrdinaryPermissions::Deny;
    let left_out = [
        read(1, "/shadowed").with_kind(Kind::Shadowed),
        read(1, "/absent").with_kind(Kind::Absent),
        read(1, "/probe").with_kind(Kind::Probe),
        read(1, "/deny").with_ordinary_permissions(deny),
        read(1, "/deny-check")
            .with_kind(Kind::AccessCheck)
            .with_ordinary_permissions(deny),
    ];
    for failed in [false, true] {
        assert_eq!(summary(&record(left_out.clone()), failed, 10), None);
        for event in &left_out {
            let mut event = event.clone().with_kind(Kind::Denial);
            event.ordinary_permissions = OrdinaryPermissions::Allow;
            assert!(summary(&record([event]), failed, 10).is_some());
        }
    }
}

/// An access check is shown when the command failed and nothing else explains it, and
/// so is a look-up of a name that the host does not have either.
#[test]
fn weak_explanations_come_last() {
    let check = read(1, "/check").with_kind(Kind::AccessCheck);
    let nowhere = read(1, "/hidden/nowhere").with_exists(false);
    for weak in [check, nowhere] {
        assert_eq!(summary(&record([weak.clone()]), false, 10), None);
        assert!(summary(&record([weak.clone()]), true, 10).is_some());
        let with_denial = summary(&record([weak, read(1, "/a")]), true, 10).unwrap();
        assert!(
            with_denial.starts_with("whybox: 1 operation was refused\n"),
            "{with_denial}"
        );
    }
    let there = read(1, "/hidden/there").with_exists(true);
    assert!(summary(&record([there]), false, 10).is_some());
}

/// Events of several kinds are counted apart.
#[test]
fn kinds_are_counted_apart() {
    let record = record([
        read(1, "/a"),
        read(1, "/b").with_kind(Kind::NotExamined),
        read(1, "/c").with_kind(Kind::MaskGap),
        read(1, "/d").with_kind(Kind::Swept),
        read(1, "/e").with_kind(Kind::Swept),
    ]);
    let text = summary(&record, false, 10).unwrap();
    let heading = "whybox: 2 operations were refused, 1 name was uncovered for a moment, \
                   2 names were removed at the end\n";
    assert!(text.starts_with(heading), "{text}");
}

/// V8, V10: what the record could not hold or wait for is said.
#[test]
fn the_summary_does_not_hide_what_is_missing() {
    let mut recorder = Recorder::with_capacity(1);
    for n in 0..4 {
        recorder.record(read(n, "/a"));
    }
    let (entries, dropped) = recorder.snapshot();
    let record = Violations::new(entries, dropped, Coverage::new(), false);
    let text = summary(&record, false, 10).unwrap();
    let end = "\n  3 more events found no room in the record\n  \
               the record is not complete: a call was still under way\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn denials_are_of_that_kind() {
    let record = record([read(1, "/a"), read(1, "/b").with_kind(Kind::Absent)]);
    assert_eq!((record.len(), record.denials().count()), (2, 1));
    assert_eq!((&record).into_iter().count(), 2);
    assert!(!record.is_empty());
}
