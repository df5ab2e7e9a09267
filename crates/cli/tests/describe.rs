//! Help, completions, the man pages and the look at the host.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Scene, text};

fn stdout(scene: &Scene, arguments: &[&str]) -> String {
    text(
        &scene
            .whybox(arguments)
            .assert()
            .code(0)
            .stderr("")
            .get_output()
            .stdout,
    )
}

#[test]
fn help_and_man_page_name_every_option() {
    let scene = Scene::new();
    let help = stdout(&scene, &["run", "--help"]);
    let page = stdout(&scene, &["man", "run"]).replace("\\-", "-");
    let bash = stdout(&scene, &["completions", "bash"]);
    for option in [
        "--read",
        "--write",
        "--exec",
        "--hide",
        "--protect",
        "--policy",
        "--preset",
        "--net",
        "--env",
        "--clear-env",
        "--tmp",
        "--timeout",
        "--report",
        "--events",
        "--no-summary",
        "--fail-on-denial",
        "--accept-gap",
        "--no-quiet",
        "--dry-run",
        "--color",
    ] {
        assert!(
            help.contains(option) && page.contains(option) && bash.contains(option),
            "{option}"
        );
    }
    assert!(page.starts_with(".ie"), "it is a man page: {page:.80}");
    assert!(stdout(&scene, &["man"]).contains("whybox"));
    assert!(
        help.lines().all(|line| line.chars().count() <= 100),
        "{help}"
    );
}

/// What only whybox itself uses is in none of them.
#[test]
fn hidden_commands_stay_hidden() {
    let scene = Scene::new();
    for arguments in [&["--help"][..], &["man"]] {
        assert!(
            !stdout(&scene, arguments).contains("probe"),
            "{arguments:?}"
        );
    }
    scene
        .whybox(["man", "doctor-probe"])
        .assert()
        .code(2)
        .stdout("");
}

#[test]
fn the_version_is_that_of_the_program() {
    let scene = Scene::new();
    assert_eq!(
        stdout(&scene, &["--version"]),
        concat!("whybox ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn nothing_asked_for_is_bad_usage() {
    let scene = Scene::new();
    scene.whybox([""; 0]).assert().code(2).stdout("");
    scene.whybox(["policy"]).assert().code(2).stdout("");
}

/// A reader that has seen enough is no failure.
#[test]
fn a_closed_pipe_is_no_failure() {
    let script = "$W policy schema | true; echo ${PIPESTATUS[0]}";
    let mut shell = assert_cmd::Command::new("bash");
    shell
        .args(["-c", script])
        .env("W", common::WHYBOX)
        .assert()
        .stdout("0\n")
        .stderr("");
}

/// Where these tests can run, it finds what a run needs.
#[test]
fn doctor_tries_what_a_run_needs() {
    let scene = Scene::new();
    let told = stdout(&scene, &["doctor"]);
    for line in [
        "ok       a command can be started in a cage\n",
        "ok       a hidden file cannot be read\n",
        "ok       what is refused is in the record\n",
        "note     record of file-read: exact\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    assert!(!told.contains("MISSING"), "{told}");
}

/// And it says so where it is not.
#[test]
fn doctor_tells_what_is_missing() {
    let scene = Scene::new();
    // With so few descriptors nothing starts.
    let mut shell = assert_cmd::Command::new("sh");
    shell
        .args(["-c", "ulimit -n 6; exec \"$W\" doctor"])
        .env("W", common::WHYBOX);
    let output = shell.current_dir(scene.project()).output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    let told = text(&output.stdout);
    assert!(
        told.starts_with("MISSING  a command can be started in a cage: "),
        "{told}"
    );
}
