//! `--timeout`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Scene, text};

#[test]
fn everything_ends_when_the_time_is_up() {
    let scene = Scene::new();
    // Neither a deaf command nor one that has left its group stays. The end of the output says that they are gone.
    let script = "trap '' TERM INT HUP; setsid sleep 1000 & while :; do sleep 1000; done";
    let output = scene
        .run(["--timeout", "300ms", "sh", "-c", script])
        .assert()
        .code(124)
        .stdout("")
        .get_output()
        .clone();
    assert_eq!(
        text(&output.stderr),
        "whybox: ended everything after 300ms (--timeout)\n"
    );
    scene
        .run(["--timeout", "300ms", "--no-summary", "sleep", "1000"])
        .assert()
        .code(124)
        .stderr("");
}

#[test]
fn a_command_that_ends_in_time_is_left_alone() {
    let scene = Scene::new();
    scene
        .run(["--timeout", "1h", "sh", "-c", "exit 6"])
        .assert()
        .code(6)
        .stderr("");
    scene
        .run(["--timeout", "9999999999", "true"])
        .assert()
        .code(0)
        .stderr("");
}
