//! In a terminal everything is as if there were no sandbox.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::Scene;
use common::pty::Terminal;

const CTRL_C: &[u8] = b"\x03";
const CTRL_Z: &[u8] = b"\x1a";
const CTRL_D: &[u8] = b"\x04";

fn terminal(scene: &Scene) -> Terminal {
    Terminal::new(&scene.project())
}

/// It reaches the command, which may go on; whybox waits for it, and so does the shell.
#[test]
fn ctrl_c_is_the_commands() {
    let scene = Scene::new();
    let mut terminal = terminal(&scene);
    terminal.line(r#"$W run bash -c 'trap "echo caught; exit 7" INT; echo on; while :; do sleep 0.05; done'; echo status $?"#);
    terminal.expect("on\r\n");
    terminal.keys(CTRL_C);
    terminal.expect("caught\r\n");
    terminal.expect("status 7");
    terminal.line("$W run --report r.json sh -c 'echo on; exec sleep 1000'; echo status $?");
    terminal.expect("on\r\n");
    terminal.keys(CTRL_C);
    terminal.expect("status 130");
    assert_eq!(scene.report("r.json")["run"]["exit"]["signal"], 2);
}

/// The whole job stops, the shell has the terminal, and `fg` continues it.
#[test]
fn ctrl_z_and_fg_work() {
    let scene = Scene::new();
    let mut terminal = terminal(&scene);
    terminal.line("$W run bash -c 'echo on; while read line; do echo got $line; done; exit 4'; echo status $?");
    terminal.expect("on\r\n");
    for round in 0..3 {
        terminal.keys(CTRL_Z);
        terminal.expect("Stopped");
        terminal.line("echo shell $((6*7))");
        terminal.expect("shell 42");
        terminal.line("jobs; echo list''ed");
        assert!(terminal.expect("listed").contains("Stopped"));
        terminal.line("fg; echo status $?");
        terminal.line(&format!("hello {round}"));
        terminal.expect(&format!("got hello {round}"));
    }
    terminal.keys(CTRL_D);
    terminal.expect("status 4");
    terminal.line("echo ba''ck");
    terminal.expect("back");
}

/// In the background it runs on, and stops when it wants the keyboard.
#[test]
fn bg_works() {
    let scene = Scene::new();
    let mut terminal = terminal(&scene);
    terminal.line("set -b; $W run bash -c 'echo on; while [ ! -e go ]; do sleep 0.05; done; echo went; read line; echo got $line'");
    terminal.expect("on\r\n");
    terminal.keys(CTRL_Z);
    terminal.expect("Stopped");
    terminal.line("bg; touch go");
    terminal.expect("went\r\n");
    // The job stops by itself since the shell has the keyboard.
    terminal.expect("Stopped");
    terminal.line("echo shell $((6*7))");
    terminal.expect("shell 42");
    terminal.line("fg; echo status $?");
    terminal.expect("$W run");
    terminal.line("hello");
    terminal.expect("got hello");
    terminal.expect("status 0");
}

/// A job that was started in the background does not take the terminal.
#[test]
fn a_background_job_leaves_the_terminal_alone() {
    let scene = Scene::new();
    let mut terminal = terminal(&scene);
    terminal
        .line("$W run sh -c 'while [ ! -e go ]; do sleep 0.05; done; echo went' & echo start''ed");
    terminal.expect("started");
    terminal.line("echo shell $((6*7)); touch go; wait; echo waited $?");
    terminal.expect("shell 42");
    terminal.expect("went\r\n");
    terminal.expect("waited 0");
}

/// Whatever the command leaves behind.
#[test]
fn the_terminals_modes_are_restored() {
    let scene = Scene::new();
    let mut terminal = terminal(&scene);
    terminal.line("stty sane -echo; stty -g > before; $W run stty raw; stty -g > after; cmp before after && echo sa''me");
    terminal.expect("same");
    // The command's own come back with it.
    terminal.line("$W run bash -c 'stty intr ^G; echo on; read; stty -a | grep -o \"intr = ..\"'");
    terminal.expect("on\r\n");
    terminal.keys(CTRL_Z);
    terminal.expect("Stopped");
    terminal.line("stty -a | grep -o 'intr = ..'; fg");
    terminal.expect("intr = ^C");
    terminal.expect("$W run");
    terminal.line("");
    terminal.expect("intr = ^G");
}

#[test]
fn the_window_size_arrives() {
    let scene = Scene::new();
    let mut terminal = terminal(&scene);
    terminal.resize(31, 97);
    terminal.line("$W run bash -c 'stty size; trap \"stty size; exit\" WINCH; echo on; while :; do sleep 0.05; done'");
    terminal.expect("31 97");
    terminal.expect("on\r\n");
    terminal.resize(17, 43);
    terminal.expect("17 43");
}

/// A shell inside has job control of its own.
#[test]
fn a_shell_inside_has_job_control() {
    let scene = Scene::new();
    let mut terminal = terminal(&scene);
    terminal.line("$W run env PS1='in> ' bash --norc --noprofile -i; echo status $?");
    terminal.expect("in> ");
    terminal.line("sh -c 'echo on; read line; echo got $line'");
    terminal.expect("on\r\n");
    terminal.keys(CTRL_Z);
    terminal.expect("Stopped");
    terminal.line("fg");
    terminal.expect("read line");
    terminal.line("hello");
    terminal.expect("got hello");
    terminal.line("exit 3");
    terminal.expect("status 3");
    terminal.line("cat; echo end $?");
    terminal.line("echoed");
    terminal.expect("echoed");
    terminal.keys(CTRL_D);
    terminal.expect("end 0");
}

/// In a pipeline another program may own the keyboard, and the keys reach every member.
#[test]
fn a_pipeline_is_one_job() {
    let scene = Scene::new();
    let mut terminal = terminal(&scene);
    terminal.line("$W run sh -c 'while :; do echo tick; sleep 0.05; done' | cat");
    terminal.expect("tick\r\n");
    terminal.keys(CTRL_C);
    terminal.line("echo status ${PIPESTATUS[@]}");
    terminal.expect("status 130 130");
    terminal.line("$W run sh -c 'while :; do echo tick; sleep 0.05; done' | cat");
    terminal.expect("tick\r\n");
    terminal.keys(CTRL_Z);
    terminal.expect("Stopped");
    terminal.line("echo shell $((6*7)); fg");
    terminal.expect("shell 42");
    terminal.expect("tick\r\n");
    terminal.keys(CTRL_C);
    terminal.line("echo status $?");
    terminal.expect("status 130");
    terminal.line("$W run sh -c 'read line </dev/tty; echo got $line' </dev/null | cat");
    terminal.line("typed");
    terminal.expect("got typed");
}

/// Where nobody could continue a stopped command, it is not stopped.
#[test]
fn ctrl_z_without_a_shell_has_no_effect() {
    let scene = Scene::new();
    let mut terminal = terminal(&scene);
    terminal.line("exec $W run bash -c 'echo on; read line; echo got $line; read line'");
    terminal.expect("on\r\n");
    terminal.keys(CTRL_Z);
    terminal.line("hello");
    terminal.expect("got hello");
}
