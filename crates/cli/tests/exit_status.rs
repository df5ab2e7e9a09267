//! The exit status is the command's, or says what whybox itself met.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Scene, text};

#[test]
fn it_is_the_commands() {
    let scene = Scene::new();
    for (script, status) in [
        ("exit 0", 0),
        ("exit 3", 3),
        ("exit 255", 255),
        ("exit 123", 123),
    ] {
        scene
            .run(["sh", "-c", script])
            .assert()
            .code(status)
            .stdout("")
            .stderr("");
    }
}

#[test]
fn a_signal_is_128_and_its_number() {
    let scene = Scene::new();
    for signal in [6, 9, 11, 15] {
        scene
            .run(["sh", "-c", &format!("kill -{signal} $$")])
            .assert()
            .code(128 + signal)
            .stderr("");
    }
}

#[test]
fn what_cannot_be_executed_is_126_or_127() {
    let scene = Scene::new();
    for (program, status, errno) in [
        ("/nonexistent", 127, "ENOENT"),
        ("nonexistent-program", 127, "ENOENT"),
        ("./main.c", 126, "EACCES"),
        (".", 126, "EACCES"),
    ] {
        let output = scene
            .run([program])
            .assert()
            .code(status)
            .stdout("")
            .get_output()
            .clone();
        let told = text(&output.stderr);
        assert!(
            told.starts_with(&format!("whybox: cannot execute {program}: {errno}")),
            "{told}"
        );
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

#[test]
fn bad_usage_and_a_bad_policy_are_2_on_one_line() {
    let scene = Scene::new();
    std::fs::write(scene.path("bad.toml"), "version = 1\n[files]\nraed = []\n").unwrap();
    let lines: [(&[&str], &str); 6] = [
        (
            &["--bogus", "true"],
            "whybox: unexpected argument '--bogus' found",
        ),
        (
            &[],
            "whybox: the following required arguments were not provided: <COMMAND>",
        ),
        (
            &["--preset", "nope", "true"],
            "whybox: invalid value 'nope' for '--preset <NAME>'",
        ),
        (
            &["--accept-gap", "all", "true"],
            "whybox: invalid value 'all' for '--accept-gap <NAME>'",
        ),
        (
            &["--policy", "bad.toml", "true"],
            "whybox: bad.toml:3:1: unknown key \"raed\" in [files]",
        ),
        (
            &["-w", "a", "--hide", "a", "true"],
            "whybox: --hide \"a\": ",
        ),
    ];
    for (arguments, start) in lines {
        let output = scene
            .run(arguments)
            .assert()
            .code(2)
            .stdout("")
            .get_output()
            .clone();
        let told = text(&output.stderr);
        assert!(told.starts_with(start), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

/// Whatever goes wrong before the start, nothing of the command runs.
#[test]
fn trouble_before_the_start_is_125() {
    let scene = Scene::new();
    for arguments in [
        ["--report", "missing/r.json"],
        ["--events", "fd:77"],
        ["--report", "."],
    ] {
        let mut run = scene.run(arguments);
        let output = run
            .args(["touch", "ran"])
            .assert()
            .code(125)
            .stdout("")
            .get_output()
            .clone();
        let told = text(&output.stderr);
        assert!(
            told.starts_with(&format!(
                "whybox: {} {}: cannot open it",
                arguments[0], arguments[1]
            )),
            "{told}"
        );
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(!scene.path("ran").exists());
    }
    scene.run(["touch", "ran"]).assert().code(0);
    assert!(
        scene.path("ran").exists(),
        "the same command runs without the trouble"
    );
}
