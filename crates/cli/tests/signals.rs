//! Signals sent to whybox are the command's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::os::unix::process::CommandExt as _;

use common::{Scene, send, start_and_wait_for_line, text};
use rustix::process::{Pid, Signal};

/// Waits for signals, and tells each.
const WAITING: &str =
    "trap 'echo usr1' USR1; trap 'echo hup' HUP; trap 'echo int' INT; trap 'echo term; exit 9' TERM
    echo ready; while :; do sleep 0.05; done";

/// Whoever waits for whybox waits for the command's own answer to the signal.
#[test]
fn they_are_forwarded_and_the_command_answers() {
    let scene = Scene::new();
    for (signal, answer) in [
        (Signal::USR1, "usr1\n"),
        (Signal::HUP, "hup\n"),
        (Signal::INT, "int\n"),
    ] {
        let mut run = scene.plain(["run", "env", "--default-signal", "bash", "-c", WAITING]);
        let mut child = start_and_wait_for_line(&mut run);
        send(&child, signal);
        let mut told = vec![0; answer.len()];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut told).unwrap();
        assert_eq!(text(&told), answer);
        send(&child, Signal::TERM);
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), text(&output.stdout)),
            (Some(9), "term\n".to_owned()),
            "{signal:?}"
        );
    }
}

/// Without a terminal of its own the command is in whybox's process group, as without a sandbox.
#[test]
fn a_signal_to_the_group_reaches_both() {
    let scene = Scene::new();
    let mut run = scene.plain(["run", "bash", "-c", WAITING]);
    let child = start_and_wait_for_line(run.process_group(0));
    let group = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    rustix::process::kill_process_group(group, Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(9), "term\n".to_owned())
    );
}

/// H24: as shells show it, and not as a success.
#[test]
fn a_command_that_dies_of_it_is_not_a_success() {
    let scene = Scene::new();
    for signal in [
        Signal::INT,
        Signal::TERM,
        Signal::QUIT,
        Signal::HUP,
        Signal::USR2,
        Signal::ALARM,
    ] {
        let script = "ulimit -c 0; echo ready; exec sleep 1000";
        let child = start_and_wait_for_line(&mut scene.plain([
            "run",
            "env",
            "--default-signal",
            "sh",
            "-c",
            script,
        ]));
        send(&child, signal);
        assert_eq!(
            child.wait_with_output().unwrap().status.code(),
            Some(128 + signal.as_raw())
        );
    }
}

/// L5: when whybox is killed, so is the command.
#[test]
fn the_command_does_not_outlive_whybox() {
    let scene = Scene::new();
    let script = "echo ready; setsid sleep 1000 & exec sleep 1000";
    let child = start_and_wait_for_line(&mut scene.plain(["run", "sh", "-c", script]));
    send(&child, Signal::KILL);
    // The pipes end with the last process that holds them.
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), None);
}
