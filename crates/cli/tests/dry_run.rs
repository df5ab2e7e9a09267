//! `--dry-run` prints the steps of the start, and nothing runs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Scene, text};

/// The steps that do not depend on the host or the user.
#[test]
fn the_steps_are_those_of_the_policy() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("out")).unwrap();
    let arguments = [
        "--preset",
        "none",
        "--dry-run",
        "-r",
        ".",
        "-w",
        "out",
        "-x",
        "/usr",
        "--hide",
        ".env",
    ];
    let output = scene
        .run(arguments)
        .args(["touch", "ran"])
        .assert()
        .code(0)
        .stderr("")
        .get_output()
        .clone();
    let steps = text(&output.stdout);
    let kept = |line: &&str| {
        line.ends_with(':')
            || (line.contains("project") || line.contains("/usr")) && !line.contains("Landlock")
    };
    let steps: Vec<String> = steps
        .lines()
        .filter(kept)
        .map(|line| line.replace(scene.project().to_str().unwrap(), "[project]"))
        .collect();
    insta::assert_snapshot!(steps.join("\n"));
    assert!(!scene.path("ran").exists());
}

#[test]
fn no_report_is_touched() {
    let scene = Scene::new();
    std::fs::write(scene.path("r.json"), "old").unwrap();
    scene
        .run([
            "--dry-run",
            "--report",
            "r.json",
            "--events",
            "e.jsonl",
            "true",
        ])
        .assert()
        .code(0);
    assert_eq!(
        std::fs::read_to_string(scene.path("r.json")).unwrap(),
        "old"
    );
    assert!(!scene.path("e.jsonl").exists());
}

/// What cannot be planned is told as for a run.
#[test]
fn mistakes_are_told() {
    let scene = Scene::new();
    scene
        .run(["--dry-run", "-w", "a[", "true"])
        .assert()
        .code(2)
        .stdout("");
}
