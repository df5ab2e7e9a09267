//! The environment and the directories of a run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Scene, text};

/// Names that look like a secret's stay outside unless they are named.
#[test]
fn variables_are_passed_set_or_dropped() {
    let scene = Scene::new();
    let run = |arguments: &[&str]| {
        let mut run = scene.run(arguments);
        run.args(["sh", "-c", "echo \"$PLAIN,$NPM_TOKEN,$SET\""])
            .env("PLAIN", "p")
            .env("NPM_TOKEN", "t");
        text(&run.assert().code(0).get_output().stdout)
    };
    assert_eq!(run(&[]), "p,,\n");
    assert_eq!(
        run(&["--env", "NPM_TOKEN", "--env", "SET=a=b c"]),
        "p,t,a=b c\n"
    );
    assert_eq!(run(&["--clear-env", "--env", "SET=1"]), ",,1\n");
}

#[test]
fn tmp_is_the_runs_own_or_the_hosts() {
    let scene = Scene::new();
    let file = tempfile::Builder::new()
        .prefix("whybox-")
        .tempfile_in("/tmp")
        .unwrap();
    let mut run = scene.run([
        "sh",
        "-c",
        "echo x > /tmp/new && ls /tmp && test ! -e \"$1\"",
        "sh",
    ]);
    run.arg(file.path()).assert().code(0).stdout("new\n");
    let mut run = scene.run([
        "--tmp",
        "host",
        "-r",
        "/tmp",
        "sh",
        "-c",
        "test -e \"$1\"",
        "sh",
    ]);
    run.arg(file.path()).assert().code(0).stderr("");
}

#[test]
fn the_network_is_none_or_all() {
    let scene = Scene::new();
    let interfaces = |net: &str| {
        let output = scene
            .run(["--net", net, "readlink", "/proc/self/ns/net"])
            .assert()
            .code(0)
            .get_output()
            .clone();
        text(&output.stdout)
    };
    let host = std::fs::read_link("/proc/self/ns/net").unwrap();
    assert_eq!(interfaces("all").trim_end(), host.to_str().unwrap());
    assert_ne!(interfaces("none").trim_end(), host.to_str().unwrap());
}
