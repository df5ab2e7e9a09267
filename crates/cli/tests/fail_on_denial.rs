//! `--fail-on-denial`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::Scene;

#[test]
fn a_success_with_a_refusal_is_123() {
    let scene = Scene::new();
    let run = |script: &str| scene.run(["--hide", ".env", "--fail-on-denial", "sh", "-c", script]);
    run("cat .env; true").assert().code(123);
    run("cat .env; exit 4").assert().code(4);
    run("cat main.c").assert().code(0).stderr("");
    scene
        .run(["--hide", ".env", "sh", "-c", "cat .env; true"])
        .assert()
        .code(0);
}

/// Neither what programs only ask for, nor what nobody is told of.
#[test]
fn what_the_summary_leaves_out_does_not_count() {
    let scene = Scene::new();
    let shadowed = tempfile::Builder::new()
        .prefix("whybox-")
        .tempfile_in("/tmp")
        .unwrap();
    let script = "test -e \"$1\"; true";
    let mut run = scene.run([
        "--fail-on-denial",
        "--report",
        "r.json",
        "sh",
        "-c",
        script,
        "sh",
    ]);
    run.arg(shadowed.path()).assert().code(0).stderr("");
    let report = scene.report("r.json");
    assert_eq!(
        report["violations"][0]["kind"], "shadowed",
        "it is in the record all the same"
    );
}

/// The summary is what people see, not what decides.
#[test]
fn it_does_not_depend_on_the_summary() {
    let scene = Scene::new();
    let script = "cat .env 2>/dev/null; true";
    scene
        .run([
            "--hide",
            ".env",
            "--fail-on-denial",
            "--no-summary",
            "sh",
            "-c",
            script,
        ])
        .assert()
        .code(123)
        .stderr("");
}
