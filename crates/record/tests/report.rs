//! The report as JSON (X10, V9, V11).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::Arc;

use common::{any_event, at, call, event, read};
use proptest::prelude::*;
use serde_json::{Value, json};
use whybox_record::{
    Class, Coverage, CoverageState, DeniedBy, DeniedByKind, Errno, Exit, Kind, Operation,
    OrdinaryPermissions, Process, Recorder, Report, Run, Target, Unenforced, Violation, Violations,
    Witness,
};

const GOLDEN: &str = include_str!("golden/report.json");

fn run() -> Run {
    let policy = json!({"files": {"hide": ["/home/u/app/.env"]}, "version": 1});
    let mut run = Run::new(at(0), "ghost", policy, "0f".repeat(32))
        .with_command([&b"sh"[..], b"-c", b"cat .env \xff"])
        .with_end(at(2), Exit::Code { code: 3 });
    run.version = "0.1.0".to_owned();
    run
}

/// A report that has something of everything.
fn example() -> Report {
    let process = Process::new(4127, 4100, b"head").with_exe(b"/usr/bin/head");
    let mut hidden = read(4127, "/home/u/app/.env");
    hidden.process = Arc::new(process);
    hidden.denied_by = Arc::new(
        DeniedBy::new(DeniedByKind::Hidden)
            .with_rule("hide \".env\"")
            .with_source("whybox.toml:7:9"),
    );
    let mut later = hidden.clone();
    later.time = at(1);
    let hidden = hidden.with_ordinary_permissions(OrdinaryPermissions::Allow);
    let mut odd = event(
        Operation::FileLookup,
        4128,
        "\u{1b}[31m",
        Target::path(b"/home/u/.ssh/a\n\xff"),
    );
    odd.denied_by = Arc::new(DeniedBy::new(DeniedByKind::Hidden).with_rule("--hide ~/.ssh"));
    let rename = event(Operation::FileWriteUnlink, 9, "mv", Target::path(b"/ro/f"))
        .with_other_target(Target::path(b"/w/g"))
        .with_exact(false);
    let ring = call(10, "node", "io_uring_setup(8)", "io-uring").with_kind(Kind::Probe);
    let mut recorder = Recorder::new();
    for event in [hidden, later, odd.with_exists(false), rename, ring] {
        recorder.record(event);
    }
    let (entries, mut dropped) = recorder.snapshot();
    dropped.add(Class::FileRead, 12);
    let mut coverage = Coverage::new();
    coverage.set(Class::FileRead, CoverageState::Exact, &[Witness::Ghost]);
    let reason = "an outer sandbox holds the only listener".to_owned();
    coverage.set(
        Class::SystemCall,
        CoverageState::Unavailable { reason },
        &[],
    );
    coverage.note(Class::FileWrite, "the kernel alone refuses");
    coverage.unenforced.push(Unenforced::new(
        "--hide secrets",
        None,
        "the path does not exist",
    ));
    coverage.gaps.push("unix-connect".to_owned());
    Report::new(run(), Violations::new(entries, dropped, coverage, true))
}

/// The format does not change by accident: this text is whybox-record/1.
#[test]
fn the_format_is_the_golden_one() {
    let text = example().to_json().unwrap();
    assert_eq!(text, GOLDEN, "the format changed:\n{text}");
}

#[test]
fn a_report_reads_back() {
    let report = Report::from_json(GOLDEN).unwrap();
    assert_eq!(report, example());
    assert_eq!(report.to_json().unwrap(), GOLDEN);
    let record = report.clone().into_violations();
    assert_eq!(Report::new(report.run.clone(), record), report);
}

/// Each entry has the keys of the format, and no others.
#[test]
fn entries_have_the_documented_keys() {
    let report: Value = serde_json::from_str(GOLDEN).unwrap();
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(
        keys(&report),
        "complete coverage dropped run schema violations"
    );
    assert_eq!(
        keys(&report["violations"][0]),
        "class denied_by errno exact first id kind last operation ordinary_permissions \
         other_target process repeats target witness"
    );
    assert_eq!(
        keys(&report["violations"][0]["denied_by"]),
        "class kind rule source"
    );
    assert_eq!(keys(&report["violations"][0]["target"]), "text type");
    assert_eq!(keys(&report["violations"][1]["target"]), "bytes text type");
    assert_eq!(report["violations"][0]["process"]["name"], "head");
    let record = example().into_violations().to_json().unwrap();
    for key in ["coverage", "complete", "dropped", "violations"] {
        assert_eq!(record[key], report[key]);
    }
}

/// Every place in the golden report, for tests that change one.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                places(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(list) => {
            for (key, value) in list.iter().enumerate() {
                places(value, &format!("{at}/{key}"), found);
            }
        }
        _ => {}
    }
}

/// X10: an unknown key anywhere but in the policy, which has its own format, is
/// refused, by the reader and by the schema.
#[test]
fn unknown_keys_are_refused() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let schema = jsonschema::validator_for(&Report::schema()).unwrap();
    let mut all = Vec::new();
    places(&golden, "", &mut all);
    let mut tried = 0;
    for place in all.iter().filter(|place| !place.starts_with("/run/policy")) {
        let mut changed = golden.clone();
        if let Some(Value::Object(map)) = changed.pointer_mut(place) {
            map.insert("unknown".to_owned(), json!(1));
            tried += 1;
            assert!(Report::from_json(&changed.to_string()).is_err(), "{place}");
            assert!(!schema.is_valid(&changed), "{place}");
        }
    }
    assert!(tried > 20, "{tried}");
    for exit in [
        json!({"type": "timeout", "unknown": 1}),
        json!({"type": "signal", "signal": 9, "unknown": 1}),
        json!({"type": "not-started", "error": "", "unknown": 1}),
    ] {
        let mut changed = golden.clone();
        changed["run"]["exit"] = exit;
        assert!(Report::from_json(&changed.to_string()).is_err());
        assert!(!schema.is_valid(&changed));
    }
}

/// A wrong value is refused with line and column, and says what is known.
#[test]
fn wrong_values_are_refused() {
    let cases = [
        (
            "\"whybox-record/1\"",
            "\"whybox-record/9\"",
            "use the whybox that wrote it",
        ),
        (
            "\"file-read-data\"",
            "\"file-eat-data\"",
            "unknown operation",
        ),
        ("\"EACCES\"", "\"ENOTHING\"", "no name of an error"),
        ("\"EACCES\"", "\"errno--5\"", "no name of an error"),
        ("\\\\n\\\\xff\"", "\\\\n\\\\xfe\"", "not those of its text"),
        ("\\\\n\\\\xff\"", "\\\\q\"", "unknown escape"),
        (
            "\"unavailable\"",
            "\"exact\"",
            "only unavailable coverage has a reason",
        ),
        ("\"exact\",", "\"unavailable\",", "needs a reason"),
        (
            "2027-01-15T08:00:00.000000000Z",
            "yesterday",
            "no RFC 3339 time",
        ),
        ("\"repeats\": 2", "\"repeats\": -2", "invalid value"),
        ("\"id\": 2,", "\"id\": 2, \"id\": 2,", "duplicate field"),
    ];
    for (right, wrong, why) in cases {
        assert!(GOLDEN.contains(right), "{right}");
        let text = GOLDEN.replacen(right, wrong, 1);
        let error = Report::from_json(&text).unwrap_err().to_string();
        assert!(error.contains(why), "{wrong}: {error}");
        assert!(error.contains("line "), "{wrong}: {error}");
    }
}

#[test]
fn the_schema_accepts_what_is_written() {
    let schema = jsonschema::validator_for(&Report::schema()).unwrap();
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    assert!(schema.is_valid(&golden));
    for exit in [
        Exit::Code { code: 0 },
        Exit::Signal { signal: 9 },
        Exit::Timeout {},
        Exit::NotStarted {
            error: "unshare: EPERM".to_owned(),
        },
    ] {
        let mut report = example();
        report.run = report.run.with_end(at(3), exit);
        let value: Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
        assert!(schema.is_valid(&value), "{value}");
        assert_eq!(Report::from_json(&value.to_string()).unwrap(), report);
    }
    let running = Report::new(
        Run::new(at(0), "ghost", Value::Null, ""),
        Violations::default(),
    );
    let value: Value = serde_json::from_str(&running.to_json().unwrap()).unwrap();
    assert!(schema.is_valid(&value), "{value}");
    assert_eq!(value["run"]["exit"], Value::Null);
}

/// A clock that is out of range is written as the nearest time that can be.
#[test]
fn odd_clocks_can_be_written() {
    let far = std::time::Duration::from_secs(1 << 40);
    let times = [
        (
            std::time::UNIX_EPOCH - far,
            "1970-01-01T00:00:00.000000000Z",
        ),
        (
            std::time::UNIX_EPOCH + far,
            "9999-12-31T23:59:59.000000000Z",
        ),
    ];
    for (time, text) in times {
        let run = Run::new(time, "ghost", Value::Null, "");
        let json = serde_json::to_value(&run).unwrap();
        assert_eq!(json["started"], text);
        assert!(serde_json::from_value::<Run>(json).is_ok());
    }
}

/// V11: a command of any size is bounded.
#[test]
fn commands_are_bounded() {
    let run = || Run::new(at(0), "ghost", Value::Null, "");
    let long = run().with_command([vec![b'a'; 1 << 20]]);
    assert!(long.command_cut);
    assert_eq!(long.command[0].len(), Run::COMMAND_MAX);
    let many = run().with_command(vec![""; 1 << 20]);
    assert!(many.command_cut && many.command.len() <= Run::COMMAND_MAX);
    assert!(!run().with_command(["true"]).command_cut);
}

/// V9: coverage is per class, and lowering never raises a claim.
#[test]
fn coverage_never_claims_more() {
    let states = [
        CoverageState::Exact,
        CoverageState::ExactUnlessRaced,
        CoverageState::BestEffort,
        CoverageState::NotObserved,
        CoverageState::Off,
        CoverageState::Unavailable {
            reason: "x".to_owned(),
        },
    ];
    for (rank, state) in states.iter().enumerate() {
        for (lower_rank, lower) in states.iter().enumerate() {
            let mut coverage = Coverage::all(&CoverageState::Off);
            coverage.set(Class::Exec, state.clone(), &[Witness::Supervisor]);
            coverage.lower(Class::Exec, lower.clone(), "why");
            coverage.lower(Class::Exec, lower.clone(), "why");
            let got = coverage.get(Class::Exec);
            let expected = if lower_rank.min(3) > rank {
                lower
            } else {
                state
            };
            assert_eq!(&got.state, expected);
            assert_eq!(got.notes, ["why"]);
            assert_eq!(coverage.get(Class::Signal).state, CoverageState::Off);
        }
    }
    assert_eq!(Coverage::new().iter().count(), Class::ALL.len());
}

/// Numbers without a name survive, and names are the same on every system.
#[test]
fn errors_keep_their_names() {
    for raw in [1, 2, 11, 13, 38, 95, 110, 4_000, -13, 0, i32::MIN, i32::MAX] {
        let errno = Errno::from_raw(raw);
        let json = serde_json::to_string(&errno).unwrap();
        assert_eq!(serde_json::from_str::<Errno>(&json).unwrap(), errno);
        if raw > 0 {
            assert_eq!(errno.raw(), raw);
        }
    }
    assert_eq!(Errno::from_raw(Errno::EAGAIN.raw()).name(), Some("EAGAIN"));
    assert_eq!(Errno::from_raw(4_000).to_string(), "errno-4000");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// X10, V11: whatever happened, JSON to report to JSON gives the same bytes, the
    /// schema holds, and the bytes of a target can be had from it.
    #[test]
    fn every_report_reads_back(events in proptest::collection::vec(any_event(), 0..6)) {
        let record = common::record(events);
        let report = Report::new(run(), record);
        let text = report.to_json().unwrap();
        let read = Report::from_json(&text).unwrap();
        prop_assert_eq!(&read, &report);
        prop_assert_eq!(&read.to_json().unwrap(), &text);
        prop_assert!(!text.replace('\n', "").chars().any(char::is_control));
        let value: Value = serde_json::from_str(&text).unwrap();
        for (json, entry) in value["violations"].as_array().unwrap().iter().zip(&report.violations) {
            let line = entry.to_json_line().unwrap();
            prop_assert_eq!(line.find(char::is_control), Some(line.len() - 1));
            prop_assert_eq!(&serde_json::from_str::<Violation>(&line).unwrap(), entry);
            let text = json["target"]["text"].as_str().unwrap();
            prop_assert!(!text.chars().any(char::is_control), "{:?}", text);
            match json["target"].get("bytes") {
                None => prop_assert_eq!(text.as_bytes(), entry.target.bytes()),
                Some(hex) => {
                    let bytes: String = entry.target.bytes().iter().map(|b| format!("{b:02x}")).collect();
                    prop_assert_eq!(hex.as_str().unwrap(), bytes);
                }
            }
        }
    }

    /// Reading never panics, and what it accepts it can write.
    #[test]
    fn reading_changed_reports_never_panics(
        at in any::<prop::sample::Index>(),
        cut in 0usize..40,
        put in "(\\PC|[\\[\\]{}\",:\\\\0-9nu]){0,8}",
    ) {
        let bytes = GOLDEN.as_bytes();
        let start = at.index(bytes.len());
        let end = (start + cut).min(bytes.len());
        let text = [&bytes[..start], put.as_bytes(), &bytes[end..]].concat();
        if let Ok(report) = Report::from_json(&String::from_utf8_lossy(&text)) {
            prop_assert!(report.to_json().is_ok());
            let _ = whybox_record::summary(&report.into_violations(), true, 3);
        }
    }

    #[test]
    fn reading_any_text_never_panics(text in ".{0,64}") {
        prop_assert!(Report::from_json(&text).is_err());
    }
}
