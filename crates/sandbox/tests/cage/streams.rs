//! Standard streams.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command as Standard, Stdio as StandardStdio};

use whybox::{Cage, Command, Grants, Stdio};

use crate::common::{Tree, command, in_shell, run, shell, system};
use crate::harness::{harness, said};

#[test]
fn nothing_is_read_from_and_kept_by_null() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let mut cat = Command::new("/bin/cat");
    cat.current_dir(tree.root())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let mut run = Cage::new(&policy)
        .unwrap()
        .spawn(&mut cat, &Grants::new())
        .unwrap();
    assert!(run.stdin.is_none() && run.stdout.is_none() && run.stderr.is_none());
    assert!(run.wait().unwrap().success());
}

/// Both ends at once, more than a pipe holds.
#[test]
fn pipes_pass_bytes_as_they_are() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let cage = Cage::new(&policy).unwrap();
    let bytes: Vec<u8> = (0..1_000_000u32).map(|n| ((n * 7) >> 3) as u8).collect();
    let mut own = Command::new("/bin/cat");
    own.current_dir(tree.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut standard = Standard::new("/bin/cat");
    standard
        .current_dir(tree.root())
        .stdin(StandardStdio::piped())
        .stdout(StandardStdio::piped());
    for mut run in [
        cage.spawn(&mut own, &Grants::new()).unwrap(),
        cage.spawn(&mut standard, &Grants::new()).unwrap(),
    ] {
        let (mut input, mut output) = (run.stdin.take().unwrap(), run.stdout.take().unwrap());
        let mut back = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                input.write_all(&bytes).unwrap();
                drop(input);
            });
            output.read_to_end(&mut back).unwrap();
        });
        assert!(back == bytes);
        assert!(run.wait().unwrap().success());
    }
}

/// A wait ends although the harness forgot to close what the command reads to its end.
#[test]
fn waiting_closes_the_input() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let mut cat = Command::new("/bin/cat");
    cat.current_dir(tree.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    let mut run = Cage::new(&policy)
        .unwrap()
        .spawn(&mut cat, &Grants::new())
        .unwrap();
    assert_eq!(run.try_wait().unwrap(), None);
    assert!(run.wait().unwrap().success());
}

/// A file of the host that no rule grants, opened by the harness; opened again by its name among the streams, too.
#[test]
fn files_of_the_harness_serve_as_streams() {
    let tree = Tree::new();
    let outside = Tree::new();
    let policy = tree.open().build().unwrap();
    let input = outside.file("input", "line\n");
    for standard in [false, true] {
        let output = outside.path(if standard { "standard" } else { "own" });
        let (from, to) = (
            File::open(&input).unwrap(),
            File::options()
                .append(true)
                .create(true)
                .open(&output)
                .unwrap(),
        );
        let script =
            "cat; echo again >>/dev/stdout; echo error >&2; echo error again >>/dev/stderr";
        let cage = Cage::new(&policy).unwrap();
        let mut run = if standard {
            let mut command = Standard::new("/bin/sh");
            command
                .args(["-c", script])
                .current_dir(tree.root())
                .stdin(from)
                .stderr(to.try_clone().unwrap())
                .stdout(to);
            cage.spawn(&mut command, &Grants::new()).unwrap()
        } else {
            let mut command = Command::new("/bin/sh");
            command
                .args(["-c", script])
                .current_dir(tree.root())
                .stdin(from)
                .stderr(to.try_clone().unwrap())
                .stdout(to);
            cage.spawn(&mut command, &Grants::new()).unwrap()
        };
        assert!(run.wait().unwrap().success());
        assert_eq!(
            std::fs::read_to_string(output).unwrap(),
            "line\nagain\nerror\nerror again\n"
        );
    }
}

/// A stream that is a file of the host is no way to more of it.
#[test]
fn a_stream_grants_nothing_but_itself() {
    let tree = Tree::new();
    let outside = Tree::new();
    let policy = tree.open().build().unwrap();
    let input = outside.file("input", "line\n");
    outside.file("beside", "s3cret");
    let script = "cat <&0; cat /proc/self/fd/0/../beside; cat /dev/stdin/../beside; echo x >/dev/stdin; exit 3";
    let outcome = run(
        &policy,
        in_shell(tree.root(), script).stdin(File::open(&input).unwrap()),
    );
    assert_eq!(
        (outcome.code(), outcome.out.as_str()),
        (3, "line\n"),
        "{}",
        outcome.err
    );
    assert_eq!(
        std::fs::read_to_string(&input).unwrap(),
        "line\n",
        "it was given for reading"
    );
    let _ = shell(&policy, tree.root(), "true").success();
}

pub(crate) fn role_that_lets_inherit(root: &Path) {
    let policy = system(root).write(root).exec(root).build().unwrap();
    let cage = Cage::new(&policy).unwrap();
    let mut own = Command::new("/bin/sh");
    own.args(["-c", "read line; echo \"own $line\" >&2"])
        .current_dir(root);
    assert!(
        cage.spawn(&mut own, &Grants::new())
            .unwrap()
            .wait()
            .unwrap()
            .success()
    );
    let mut standard = Standard::new("/bin/sh");
    standard
        .args(["-c", "read line; echo \"standard $line\" >&2"])
        .current_dir(root);
    assert!(
        cage.spawn(&mut standard, &Grants::new())
            .unwrap()
            .wait()
            .unwrap()
            .success()
    );
}

#[test]
fn streams_are_inherited_when_nothing_is_said() {
    let tree = Tree::new();
    let input = tree.file("input", "first\nsecond\n");
    let mut harness = harness("inherit", tree.root());
    harness.stdin(File::open(input).unwrap());
    assert_eq!(said(harness), "own first\nstandard second\n");
}

/// Descriptors that the launch makes get the number 0 then.
pub(crate) fn role_without_standard_input(root: &Path) {
    // SAFETY: nothing in this program uses it.
    unsafe { libc::close(0) };
    let policy = system(root).write(root).exec(root).build().unwrap();
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", "echo out; echo err >&2"])
        .current_dir(root)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let outcome = run(&policy, &mut command);
    eprintln!("{}{}", outcome.success(), outcome.err);
}

#[test]
fn a_harness_may_have_no_standard_input() {
    let tree = Tree::new();
    assert_eq!(said(harness("no-streams", tree.root())), "outerr\n\n");
    let policy = tree.open().build().unwrap();
    run(&policy, &mut command("/bin/true", tree.root())).success();
}
