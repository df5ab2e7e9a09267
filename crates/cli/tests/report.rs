//! The report is complete whatever the end of the run is (OBS-04 of its kind: V2, V8, X10).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use common::{Scene, send, start_and_wait_for_line, targets, text};
use rustix::process::Signal;
use serde_json::{Value, json};

/// What every report says, and what it says of the end.
fn check(report: &Value, exit: Value) {
    assert_eq!(report["schema"], "whybox-record/1");
    assert_eq!(report["run"]["exit"], exit);
    assert_eq!(report["complete"], true);
    assert!(
        report["run"]["started"].as_str() <= report["run"]["ended"].as_str(),
        "{report}"
    );
}

/// It is written as the published schema says.
fn valid(scene: &Scene, report: &Value) {
    let schema = scene.whybox(["record", "schema"]).output().unwrap().stdout;
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator
        .iter_errors(report)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(wrong, [""; 0]);
    assert!(!validator.is_valid(&json!({"schema": "whybox-record/1"})));
}

#[test]
fn it_tells_of_success_failure_and_signals() {
    let scene = Scene::new();
    let script = |end: &str| format!("cat .env 2>/dev/null; {end}");
    for (end, status, exit) in [
        ("exit 0", 0, json!({"type": "code", "code": 0})),
        ("exit 7", 7, json!({"type": "code", "code": 7})),
        ("kill -9 $$", 137, json!({"type": "signal", "signal": 9})),
    ] {
        let script = script(end);
        let arguments = [
            "--hide",
            ".env",
            "--no-summary",
            "--report",
            "r.json",
            "sh",
            "-c",
            &script,
        ];
        scene
            .run(arguments)
            .assert()
            .code(status)
            .stdout("")
            .stderr("");
        let report = scene.report("r.json");
        check(&report, exit);
        valid(&scene, &report);
        assert_eq!(targets(&report), [scene.path(".env").to_str().unwrap()]);
        assert_eq!(report["run"]["command"], json!(["sh", "-c", script]));
        assert_eq!(report["run"]["policy_digest"].as_str().unwrap().len(), 64);
        assert_eq!(report["violations"][0]["denied_by"]["rule"], "--hide .env");
    }
}

#[test]
fn it_is_there_after_a_timeout() {
    let scene = Scene::new();
    let script = "cat .env 2>/dev/null; sleep 100";
    // The time is up at once or later: the entry is there only in the second case.
    let arguments = [
        "--hide",
        ".env",
        "--timeout",
        "2",
        "--report",
        "r.json",
        "sh",
        "-c",
        script,
    ];
    scene.run(arguments).assert().code(124);
    let report = scene.report("r.json");
    check(&report, json!({"type": "timeout"}));
    valid(&scene, &report);
}

/// As `timeout -s INT 3 whybox run ...` ends it.
#[test]
fn it_is_there_when_whybox_was_sent_a_signal() {
    let scene = Scene::new();
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        let script = "trap - HUP; cat .env 2>/dev/null; echo; exec sleep 100";
        let arguments = [
            "run",
            "--hide",
            ".env",
            "--report",
            "r.json",
            "env",
            "--default-signal",
            "sh",
            "-c",
            script,
        ];
        let child = start_and_wait_for_line(&mut scene.plain(arguments));
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(128 + signal.as_raw()),
            "{}",
            text(&output.stderr)
        );
        let report = scene.report("r.json");
        check(
            &report,
            json!({"type": "signal", "signal": signal.as_raw()}),
        );
        assert_eq!(targets(&report), [scene.path(".env").to_str().unwrap()]);
    }
}

#[test]
fn it_tells_why_the_command_never_ran() {
    let scene = Scene::new();
    let wrong: [(&[&str], i32, &str); 3] = [
        (
            &["/nonexistent"],
            127,
            "cannot execute /nonexistent: ENOENT",
        ),
        (
            &["--policy", "missing.toml", "true"],
            2,
            "missing.toml: cannot read the policy file: ENOENT",
        ),
        (&["-w", "a[", "true"], 2, "--write \"a[\": bad glob"),
    ];
    for (arguments, status, start) in wrong {
        let output = scene
            .run(["--report", "r.json"])
            .args(arguments)
            .assert()
            .code(status)
            .get_output()
            .clone();
        let report = scene.report("r.json");
        assert_eq!(report["run"]["exit"]["type"], "not-started");
        let error = report["run"]["exit"]["error"].as_str().unwrap();
        assert!(error.starts_with(start), "{error}");
        assert_eq!(text(&output.stderr), format!("whybox: {error}\n"));
        valid(&scene, &report);
    }
}

/// An inherited descriptor, which the command does not get, after what its caller has written to it.
#[test]
fn it_goes_to_a_descriptor() {
    let scene = Scene::new();
    let script = "{ echo first; $W run --report fd:3 ls /proc/self/fd/; echo last; } 3>r.json >out; echo x >>out";
    let mut shell = assert_cmd::Command::new("sh");
    shell.args([
        "-c",
        &script
            .replace("echo first", "echo first >&3")
            .replace("echo last", "echo last >&3"),
    ]);
    shell
        .env("W", common::WHYBOX)
        .current_dir(scene.project())
        .assert()
        .code(0)
        .stderr("");
    let text = fs::read_to_string(scene.path("r.json")).unwrap();
    let document = text
        .strip_prefix("first\n")
        .unwrap()
        .strip_suffix("last\n")
        .unwrap();
    check(
        &serde_json::from_str(document).unwrap(),
        json!({"type": "code", "code": 0}),
    );
    // The fourth is the directory that ls lists.
    assert_eq!(
        fs::read_to_string(scene.path("out")).unwrap(),
        "0\n1\n2\n3\nx\n"
    );
    let closed = "$W run --report fd:9 touch ran 9<main.c";
    let mut shell = assert_cmd::Command::new("sh");
    shell
        .args(["-c", closed])
        .env("W", common::WHYBOX)
        .current_dir(scene.project())
        .assert()
        .code(125);
    assert!(!scene.path("ran").exists());
}

/// A report of an earlier run is never taken for this one's.
#[test]
fn an_old_report_is_emptied_first() {
    let scene = Scene::new();
    fs::write(scene.path("r.json"), "x".repeat(1 << 20)).unwrap();
    fs::set_permissions(scene.path("r.json"), fs::Permissions::from_mode(0o600)).unwrap();
    scene
        .run(["--report", "r.json", "wc", "-c", "r.json"])
        .assert()
        .code(0)
        .stdout("0 r.json\n");
    check(&scene.report("r.json"), json!({"type": "code", "code": 0}));
    assert_eq!(
        fs::metadata(scene.path("r.json"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o600
    );
}

/// V11: a command that may write where the report is cannot put its own in its place.
#[test]
fn the_command_cannot_replace_it() {
    let scene = Scene::new();
    fs::create_dir(scene.path("sub")).unwrap();
    for attack in [
        "echo forged > r.json",
        "rm r.json; echo forged > r.json",
        "rm r.json; ln -s main.c r.json",
        "mv r.json old; ln main.c r.json",
        "rm r.json",
        "echo forged > new; mv new r.json; chmod 0444 r.json",
    ] {
        let script = format!("cat .env 2>/dev/null; {attack}");
        scene
            .run([
                "--hide",
                ".env",
                "--no-summary",
                "--report",
                "r.json",
                "sh",
                "-c",
                &script,
            ])
            .assert()
            .code(0)
            .stderr("");
        let report = scene.report("r.json");
        check(&report, json!({"type": "code", "code": 0}));
        assert_eq!(
            targets(&report),
            [scene.path(".env").to_str().unwrap()],
            "{attack}"
        );
        assert_eq!(
            fs::read_to_string(scene.path("main.c")).unwrap(),
            "int main;\n",
            "{attack}"
        );
        fs::remove_file(scene.path("r.json")).unwrap();
    }
    let names: Vec<_> = fs::read_dir(scene.project())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().contains(".new")),
        "{names:?}"
    );
}

/// A failure to write it is told, and changes nothing else.
#[test]
fn a_report_that_cannot_be_written_does_not_change_the_status() {
    let scene = Scene::new();
    let output = scene
        .run(["--report", "/dev/full", "sh", "-c", "exit 3"])
        .assert()
        .code(3)
        .get_output()
        .clone();
    let told = text(&output.stderr);
    assert!(
        told.starts_with("whybox: --report /dev/full: cannot write the report: "),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1);
}
