//! Entries as JSON lines while the command runs (V7).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use common::{Scene, targets};
use serde_json::Value;

fn lines(scene: &Scene, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(scene.path(name)).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A line comes before the command ends, which waits for the test to have read it.
#[test]
fn they_come_while_the_command_runs() {
    let scene = Scene::new();
    let script = "cat .env 2>/dev/null; read line; cat sub/key 2>/dev/null; exit 4";
    let arguments = [
        "run",
        "--hide",
        ".env",
        "--hide",
        "sub",
        "--no-summary",
        "--events",
        "fd:1",
        "sh",
        "-c",
        script,
    ];
    fs::create_dir(scene.path("sub")).unwrap();
    fs::write(scene.path("sub/key"), "x").unwrap();
    let mut child = scene
        .plain(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    let first = next();
    assert_eq!(
        first["target"]["text"],
        scene.path(".env").to_str().unwrap()
    );
    assert_eq!(first["id"], 1);
    drop(child.stdin.take());
    assert!(
        next()["target"]["text"]
            .as_str()
            .unwrap()
            .starts_with(scene.path("sub").to_str().unwrap())
    );
    assert_eq!(child.wait().unwrap().code(), Some(4));
}

/// Also those that the live stream of 1,024 loses when many come at once.
#[test]
fn in_the_end_they_are_all_there() {
    let scene = Scene::new();
    let script = "i=0; while [ $i -lt 3000 ]; do : < \"hidden/$i\"; i=$((i+1)); done 2>/dev/null";
    fs::create_dir(scene.path("hidden")).unwrap();
    let arguments = [
        "--hide",
        "hidden",
        "--no-summary",
        "--report",
        "r.json",
        "--events",
        "e.jsonl",
        "bash",
        "-c",
        script,
    ];
    scene.run(arguments).assert().code(0);
    let streamed = lines(&scene, "e.jsonl");
    let target = |entry: &Value| entry["target"]["text"].as_str().unwrap().to_owned();
    let report = scene.report("r.json");
    assert_eq!(
        streamed.iter().map(target).collect::<BTreeSet<_>>(),
        targets(&report).into_iter().collect()
    );
    assert_eq!(
        streamed.len(),
        report["violations"].as_array().unwrap().len(),
        "each once"
    );
    assert!(streamed.len() >= 3000, "{}", streamed.len());
}

#[test]
fn nothing_refused_is_an_empty_file() {
    let scene = Scene::new();
    scene
        .run(["--events", "e.jsonl", "true"])
        .assert()
        .code(0)
        .stderr("");
    assert_eq!(fs::read_to_string(scene.path("e.jsonl")).unwrap(), "");
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    let scene = Scene::new();
    let script = "$W run --hide .env --no-summary --events fd:3 sh -c 'sleep 0.1; cat .env; exit 5' 3>&1 >/dev/null | true; echo ${PIPESTATUS[0]}";
    let mut shell = assert_cmd::Command::new("bash");
    shell
        .args(["-c", script])
        .env("W", common::WHYBOX)
        .current_dir(scene.project())
        .assert()
        .stdout("5\n");
}

/// V11: a command that replaces the file does not go unnoticed.
#[test]
fn a_replaced_file_is_told() {
    let scene = Scene::new();
    let script = "rm e.jsonl; echo '{}' > e.jsonl";
    let output = scene
        .run(["--events", "e.jsonl", "sh", "-c", script])
        .assert()
        .code(0)
        .get_output()
        .clone();
    let told = common::text(&output.stderr);
    assert!(
        told.starts_with("whybox: --events e.jsonl: another file is in its place now"),
        "{told}"
    );
}
