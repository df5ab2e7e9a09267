//! How a run begins and ends, and what is gone afterwards.

use std::process::Command;

use rustix::process::Signal;

use crate::bed::{Bed, have};
use crate::common::pty::Terminal;
use crate::common::{Scene, send, start_and_wait_for_line};
use crate::leftovers::nothing_is_left;

/// Rules on names that do not exist put nothing there: not during the run, not after it, not after the program was killed.
#[test]
fn lif_01_no_placeholders() {
    if !have(&["git"]) {
        return;
    }
    for bed in [Bed::new(), Bed::in_tmp()] {
        let git = |arguments: &[&str]| {
            let output = Command::new("git")
                .args(arguments)
                .current_dir(bed.path("w"))
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .output()
                .unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        git(&["init", "-q", "."]);
        let status = ["status", "--porcelain", "-uall", "--ignored"];
        let rules = || {
            bed.sbx()
                .w("$T/w")
                .r("$T/h")
                .p("$T/w/.bashrc")
                .p("$T/w/.vscode/settings.json")
                .h("$T/w/.env")
                .h("$T/w/**/*.pem")
        };
        rules()
            .run(&["git", "status", "--porcelain", "-uall", "--ignored"])
            .code(0)
            .out("")
            .no_entry()
            .unchanged();
        let mut child = start_and_wait_for_line(&mut rules().command(&[
            "sh",
            "-c",
            "echo on; ls -A; exec sleep 600",
        ]));
        assert_eq!(git(&status), "");
        send(&child, Signal::KILL);
        child.wait().unwrap();
        nothing_is_left(&bed);
        assert_eq!(git(&status), "");
        let names: Vec<_> = std::fs::read_dir(bed.path("w")).unwrap().collect();
        assert_eq!(names.len(), 1, "{names:?}");
    }
}

/// A stop is no exit.
const STOPPED: &str = "sh -c 'kill -STOP $$; exit 42' & p=$!
while ! grep -q '^State:.T' /proc/$p/status; do :; done; kill -CONT $p; wait $p";

/// The status is the one that a shell would give.
#[test]
fn lif_03_exit_status() {
    let bed = Bed::new();
    for (script, status) in [
        ("kill -9 $$", 137),
        ("kill -15 $$", 143),
        ("kill -11 $$", 139),
        ("kill -1 $$", 129),
        (STOPPED, 42),
        ("exit 255", 255),
        ("sh -c 'kill -9 $$'; exit $?", 137),
    ] {
        bed.sbx()
            .w("$T/w")
            .sh(script)
            .code(status)
            .no_entry()
            .unchanged();
    }
    let ran = bed
        .sbx()
        .run(&["/nonexistent"])
        .code(127)
        .out("")
        .unchanged();
    assert!(ran.err.starts_with("whybox: "), "{ran:#?}");
}

/// Timers interrupt no call, and pipelines end.
#[test]
fn lif_04_signals_interrupt_nothing() {
    if !have(&["python3", "dash"]) {
        return;
    }
    let bed = Bed::new();
    bed.sbx()
        .w("$T/w")
        .h("$T/hid")
        .run(&[
            "dash",
            "-c",
            "i=0; while [ $i -lt 60 ]; do seq 3 | cat | wc -l; i=$((i+1)); done | sort | uniq -c | tr -d ' '",
        ])
        .code(0)
        .out("603\n")
        .no_entry()
        .unchanged();
    bed.sbx()
        .w("$T/w")
        .h("$T/hid")
        .python(
            "import signal, os
signal.signal(signal.SIGALRM, lambda *a: None); signal.siginterrupt(signal.SIGALRM, True)
signal.setitimer(signal.ITIMER_REAL, .001, .001)
for i in range(2000): os.close(os.open('/etc/passwd', 0))
refused = 0
for i in range(300):
    try: os.open('$T/hid/key', 0)
    except PermissionError: refused += 1
signal.setitimer(signal.ITIMER_REAL, 0); print(refused)",
        )
        .code(0)
        .out("300\n")
        .record(&["python3 file-lookup $T/hid/key (hidden --hide $T/hid) x300"])
        .unchanged();
}

/// The command reads from the terminal, and the shell has it back afterwards.
#[test]
fn lif_05_a_line_from_the_terminal() {
    let scene = Scene::new();
    let mut terminal = Terminal::new(&scene.project());
    terminal.line("$W run sh -c 'echo on; read x </dev/tty; echo got:$x'; echo status $?");
    terminal.expect("on\r\n");
    terminal.line("hello");
    terminal.expect("got:hello");
    terminal.expect("status 0");
    terminal.line("read y; echo shell:$y");
    terminal.line("again");
    terminal.expect("shell:again");
}

/// Orphans are reaped inside, and nothing of whybox waits to be reaped outside.
#[test]
fn lif_06_no_zombies() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    // A subreaper inherits whatever its children leave.
    let script = "import ctypes, subprocess, sys, os
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
for i in range(5): subprocess.run(sys.argv[1:], check=True)
try: print('left', os.waitpid(-1, 0))
except ChildProcessError: print('none')";
    bed.sbx()
        .w("$T/w")
        .run_by(
            &["/usr/bin/python3", "-I", "-c", script],
            &["sh", "-c", "(sleep 0.01 &); true"],
        )
        .code(0)
        .out("none\n")
        .no_entry()
        .unchanged();
    bed.sbx()
        .w("$T/w")
        .sh("i=0; while [ $i -lt 20 ]; do (sleep 0 &); i=$((i+1)); done; sleep 0.3; grep -l '^State:.Z' /proc/[0-9]*/status; true")
        .code(0)
        .out("")
        .unchanged();
}

/// Many runs at once in one directory with the same rules.
#[test]
fn lif_13_many_runs_in_one_directory() {
    let bed = Bed::new();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let sbx = bed.sbx().w("$T/w").p("$T/w/.x").h("$T/w/.y").h("$T/hid");
                    let output = sbx.command(&["cat", "../hid/key"]).output().unwrap();
                    assert_eq!(output.status.code(), Some(1), "{output:?}");
                    let told = String::from_utf8(output.stderr).unwrap();
                    assert!(told.contains("1 operation was refused"), "{told}");
                }
            });
        }
    });
    nothing_is_left(&bed);
    assert_eq!(std::fs::read_dir(bed.path("w")).unwrap().count(), 0);
}

/// Ctrl-Z stops the job and the shell says so; `fg` continues it.
#[test]
fn lif_14_stop_and_continue() {
    let scene = Scene::new();
    let mut terminal = Terminal::new(&scene.project());
    terminal.line("$W run sh -c 'echo on; read x; echo got:$x; exit 5'; echo status $?");
    terminal.expect("on\r\n");
    terminal.keys(b"\x1a");
    terminal.expect("Stopped");
    terminal.line("jobs; echo list''ed");
    assert!(terminal.expect("listed").contains("Stopped"));
    terminal.line("fg; echo status $?");
    terminal.line("hello");
    terminal.expect("got:hello");
    terminal.expect("status 5");
}

/// What the caller has open is closed in the command, so that nobody inside holds it.
#[test]
fn lif_15_enf_25_the_command_has_no_descriptor_of_the_caller() {
    let bed = Bed::new();
    let script = "exec 3<$T/hid/key 4<$T/hid 9<>$T/ro/f; exec \"$@\"";
    bed.sbx()
        .w("$T/w")
        .h("$T/hid")
        .run_by(
            &["sh", "-c", script, "sh"],
            &[
                "sh",
                "-c",
                "cat <&3; cat /proc/self/fd/4/key; ls /proc/$$/fd",
            ],
        )
        .code(0)
        .out("0\n1\n2\n")
        .record(&[])
        .unchanged();
}

/// A lock is free as soon as the caller lets go of it, though the run goes on.
#[test]
fn lif_15_a_lock_of_the_caller_is_free() {
    if !have(&["flock", "mkfifo"]) {
        return;
    }
    let bed = Bed::new();
    // The caller is a shell of its own: a descriptor that can be inherited would reach the runs of other tests from here.
    let caller = "mkfifo fifo; exec 9>lock; flock 9; flock -n lock true || echo held
\"$@\" & read line <fifo; exec 9>&-; flock -n lock true && echo free; kill $!; wait $!";
    bed.sbx()
        .w("$T/w")
        .run_by(
            &["sh", "-c", caller, "sh"],
            &["sh", "-c", "echo >fifo; exec sleep 600"],
        )
        .code(143)
        .out("held\nfree\n")
        .record(&[])
        .changed(&["+w/fifo", "+w/lock"]);
}

/// The home is as it was, also after the program was killed.
#[test]
fn lif_17_the_home_is_as_it_was() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.write("h/.profile", "# mine\n");
        bed.sbx()
            .w("$T/w")
            .r("$T/h")
            .p("$T/h/.bash_profile")
            .h("$T/h/.netrc")
            .run(&["ls", "-A", "$T/h"])
            .code(0)
            .out(".profile\n")
            .no_entry()
            .unchanged();
    }
}

/// A daemon that the command leaves behind ends with it.
#[test]
fn lif_21_no_daemon_outlives_the_command() {
    let bed = Bed::new();
    // Named by the bed, by which what is left is looked for.
    bed.sbx()
        .w("$T/w")
        .sh("setsid sh -c 'sleep 600; : $T' </dev/null >/dev/null 2>&1 & (setsid sleep 601 &) ; echo on")
        .code(0)
        .out("on\n")
        .no_entry()
        .unchanged();
    if have(&["tmux"]) {
        bed.sbx()
            .w("$T/w")
            .run(&[
                "tmux",
                "-f",
                "/dev/null",
                "-S",
                "$T/w/s",
                "new-session",
                "-d",
                "sleep 600",
            ])
            .code(0)
            .changed(&["+w/s"]);
    }
}
