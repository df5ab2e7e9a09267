//! A cage is built wholly or the command does not run, and it is built wherever it can be.

use std::process::{Command, Stdio};

use crate::bed::{Bed, have, skip};
use crate::common::WHYBOX;

/// What is said to be protected is: one write is really refused.
#[test]
fn enf_02_what_is_readable_is_not_writable() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.sbx()
            .r("$T/ro")
            .sh("touch $T/ro/probe; echo x >$T/ro/f; rm -f $T/ro/f; chmod 777 $T/ro; test ! -e $T/ro/probe && cat $T/ro/f")
            .code(0)
            .out("data\n")
            .unchanged();
    }
}

/// A part of the confinement that cannot be had stops the start, with one sentence that says what is missing.
#[test]
fn enf_02_no_start_without_what_was_promised() {
    if !have(&["strace"]) {
        return;
    }
    let bed = Bed::new();
    for call in ["landlock_create_ruleset", "unshare", "seccomp"] {
        let sbx = bed.sbx().r("$T/ro");
        let inject = format!("inject={call}:error=ENOSYS");
        let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject];
        let ran = sbx.run_by(&strace, &["touch", "$T/w/ran"]);
        let ran = ran.code(125).out("").unchanged();
        assert!(ran.err.starts_with("whybox: "), "{call}: {ran:#?}");
        assert_eq!(ran.err.lines().count(), 1, "{call}: {ran:#?}");
    }
}

/// In a container without any right, and without `/sys`: what counts is what the calls do.
#[test]
fn enf_51_use_09_in_a_container() {
    if !have(&["bwrap"]) {
        return;
    }
    let bed = Bed::new();
    for options in [
        &["--cap-drop", "ALL", "--unshare-user", "--uid", "1000"][..],
        &["--tmpfs", "/sys"],
    ] {
        let sbx = bed.sbx().w("$T/w").h("$T/hid");
        let outer = [&["bwrap", "--dev-bind", "/", "/"][..], options].concat();
        sbx.run_by(&outer, &["sh", "-c", "echo started; cat $T/hid/key"])
            .code(1)
            .out("started\n")
            .record(&["cat file-lookup $T/hid/key (hidden --hide $T/hid)"])
            .unchanged();
    }
}

/// With hardly any descriptors it works or does not start; nothing runs unchecked.
#[test]
fn enf_58_few_descriptors() {
    let bed = Bed::new();
    bed.dir("w/sec");
    bed.write("w/sec/key", "s3cret\n");
    let mut refused = 0;
    for limit in [5, 8, 12, 16, 24, 32, 64] {
        let sbx = bed.sbx().w("$T/w").h("$T/w/sec");
        let script = format!("ulimit -n {limit}; exec \"$@\"");
        let ran = sbx
            .run_by(&["sh", "-c", &script, "sh"], &["cat", "$T/w/sec/key"])
            .out("")
            .unchanged();
        if ran.entries().is_empty() {
            assert!(ran.err.starts_with("whybox: "), "{limit}: {ran:#?}");
            let _ = ran.code(125);
            refused += 1;
        } else {
            let _ = ran.code(1);
        }
    }
    assert!(refused > 0 && refused < 7, "{refused}");
}

/// From a directory that cannot be written, the command is confined as from any other.
#[test]
fn enf_63_from_an_unwritable_directory() {
    let bed = Bed::new();
    bed.dir("d");
    bed.mode("d", 0o555);
    bed.sbx()
        .r("$T/ro")
        .h("$T/hid")
        .from("d")
        .sh("pwd; cat $T/hid/key")
        .code(1)
        .out("$T/d\n")
        .record(&["cat file-lookup $T/hid/key (hidden --hide $T/hid)"])
        .unchanged();
}

/// From one that is gone there is no start, and a sentence that says why.
#[test]
fn enf_63_from_a_directory_that_is_gone() {
    let bed = Bed::new();
    bed.dir("gone");
    let outer = ["sh", "-c", "rmdir \"$PWD\"; exec \"$@\"", "sh"];
    let sbx = bed.sbx().r("$T/ro").h("$T/hid").from("gone");
    let ran = sbx.run_by(&outer, &["cat", "$T/ro/f"]);
    assert!(ran.err.contains("working directory"), "{ran:#?}");
    ran.out("").changed(&["-gone"]).code(125);
}

/// The program itself may lie in what is hidden, and may be removed while it runs.
#[test]
fn enf_69_the_program_lies_in_what_is_hidden() {
    let bed = Bed::new();
    let copy = bed.path("hid/whybox");
    // Written by another process: a descriptor open for writing, inherited by a child of a parallel test, would stop the start.
    let copied = Command::new("cp").arg(WHYBOX).arg(&copy).status().unwrap();
    assert!(copied.success());
    bed.sbx()
        .program(copy.clone())
        .w("$T/w")
        .h("$T/hid")
        .run(&["cat", "$T/hid/whybox"])
        .code(1)
        .out("")
        .record(&["cat file-lookup $T/hid/whybox (hidden --hide $T/hid)"])
        .unchanged();
    let sbx = bed.sbx().program(copy.clone()).w("$T/w").h("$T/hid");
    sbx.finish(&["sh", "-c", "read line; echo $line"], |command| {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::fs::remove_file(&copy).unwrap();
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"typed\n").unwrap();
        child.wait_with_output().unwrap()
    })
    .code(0)
    .out("typed\n")
    .no_entry()
    .changed(&["-hid/whybox"]);
}

/// Whoever starts it and however: with signals blocked or ignored, as a group of its own, from a thread.
#[test]
fn lif_11_odd_parents() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    let odd = [
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))",
        "[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 13, 15, 17, 20, 21, 22)]",
        "os.setsid()",
        "os.umask(0o777)",
        "os.nice(5)",
    ];
    for oddity in odd {
        let sbx = bed.sbx().w("$T/w");
        let script =
            format!("import os, signal, sys\n{oddity}\nos.execv(sys.argv[1], sys.argv[1:])");
        // Ended by force when it hangs, since the oddity may be that signals are ignored.
        let outer = [
            "timeout",
            "-s",
            "KILL",
            "20",
            "/usr/bin/python3",
            "-I",
            "-c",
            &script,
        ];
        sbx.run_by(&outer, &["sh", "-c", "sleep 0.01 & wait $!; echo started"])
            .code(0)
            .out("started\n")
            .no_entry()
            .unchanged();
    }
}

/// The first process of a container has no parent, and its children are in a group from outside (LIF-06 too).
#[test]
fn lif_11_in_a_pid_namespace() {
    if !have(&["unshare"]) || !rustix::process::geteuid().is_root() {
        return skip("a PID namespace takes root here");
    }
    for script in ["exec \"$@\"", "\"$@\"; exit $?"] {
        let bed = Bed::new();
        let sbx = bed.sbx().w("$T/w");
        // It lasts until whybox has asked for its process group.
        sbx.run_by(
            &["unshare", "-pf", "--mount-proc", "sh", "-c", script, "sh"],
            &["sh", "-c", "sleep 0.3; echo started"],
        )
        .code(0)
        .out("started\n")
        .no_entry()
        .unchanged();
    }
}

/// Every family of rules with every other.
#[test]
fn lif_19_every_combination_of_rules_starts() {
    let bed = Bed::new();
    for choice in 0..16 {
        let mut sbx = bed.sbx().w("$T/w");
        if choice & 1 != 0 {
            sbx = sbx.option(["--net", "all"]);
        }
        if choice & 2 != 0 {
            sbx = sbx.h("$T/hid").h("$T/w/*.key");
        }
        if choice & 4 != 0 {
            sbx = sbx.p("$T/w/p").r("$T/ro");
        }
        if choice & 8 != 0 {
            sbx = sbx.option(["--tmp", "host"]).option(["--clear-env"]);
        }
        sbx.run(&["/bin/true"])
            .code(0)
            .out("")
            .no_entry()
            .unchanged();
    }
}
