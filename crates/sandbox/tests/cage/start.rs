//! Starting: both kinds of command, from any thread and any harness.

use std::io::ErrorKind;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command as Standard, Stdio as StandardStdio};

use whybox::{Cage, CageOptions, Error, Grants, Policy, Spawn};

use crate::common::{Outcome, Tree, command, in_shell, run, run_with, shell};

pub(crate) fn standard(program: &str, directory: &Path) -> Standard {
    let mut command = Standard::new(program);
    command
        .current_dir(directory)
        .stdin(StandardStdio::null())
        .stdout(StandardStdio::piped())
        .stderr(StandardStdio::piped());
    command
}

pub(crate) fn watched<C: Spawn>(policy: &Policy, command: C) -> Outcome {
    run_with(policy, &CageOptions::default().with_violations(), command)
}

fn refused<C: Spawn>(policy: &Policy, command: C) -> Error {
    Cage::new(policy)
        .unwrap()
        .spawn(command, &Grants::new())
        .map(|_| ())
        .unwrap_err()
}

/// The sandbox's own start leaves no entry (V6, USE-04).
#[test]
fn both_kinds_of_command_run() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let own = run(&policy, command("/bin/echo", tree.root()).arg("own"));
    assert_eq!(own.success(), "own");
    assert!(own.record.is_empty() && own.record.complete);
    let other = watched(&policy, standard("/bin/echo", tree.root()).arg("standard"));
    assert_eq!(other.success(), "standard");
    assert!(other.record.is_empty() && other.record.complete);
}

/// H16: a command is not used up by a spawn.
#[test]
fn a_command_can_be_spawned_five_times() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let mut other = standard("/bin/sh", tree.root());
    other
        .args(["-c", "echo $MARK >>standard; echo again"])
        .env("MARK", "x");
    let mut own = in_shell(tree.root(), "echo $MARK >>own; echo again");
    own.env("MARK", "x");
    for _ in 0..5 {
        assert_eq!(watched(&policy, &mut other).success(), "again");
        assert_eq!(watched(&policy, &mut own).success(), "again");
    }
    assert_eq!(tree.read("standard"), "x\n".repeat(5));
    assert_eq!(tree.read("own"), "x\n".repeat(5));
    // And it still is a command for outside.
    assert!(other.status().unwrap().success());
    assert_eq!(tree.read("standard"), "x\n".repeat(6));
}

#[test]
fn a_grant_of_one_spawn_is_not_the_next_ones() {
    let tree = Tree::new();
    let other = Tree::new();
    other.file("key", "s3cret");
    let policy = tree.open().build().unwrap();
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    let mut cat = command("/bin/cat", tree.root());
    cat.arg(other.path("key"));
    for (grants, success) in [
        (Grants::new().read(other.root()), true),
        (Grants::new(), false),
    ] {
        let mut run = cage.spawn(&mut cat, &grants).unwrap();
        assert_eq!(run.wait().unwrap().success(), success);
        assert_eq!(run.violations().is_empty(), success);
    }
}

#[test]
fn a_program_sees_the_name_that_it_is_given() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let own = run(
        &policy,
        command("/bin/cat", tree.root())
            .arg0("other")
            .arg("/proc/self/cmdline"),
    );
    assert_eq!(own.success(), "other\0/proc/self/cmdline\0");
}

#[test]
fn another_name_of_a_standard_command_is_refused_rather_than_lost() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let mut standard = standard("/bin/cat", tree.root());
    standard.arg("/proc/self/cmdline");
    let control = watched(&policy, &mut standard);
    assert_eq!(control.success(), "/bin/cat\0/proc/self/cmdline\0");
    let cage = whybox::Cage::new(&policy).unwrap();
    let error = cage
        .spawn(standard.arg0("other"), &whybox::Grants::new())
        .unwrap_err();
    assert!(error.to_string().contains("whybox::Command"), "{error}");
    assert_eq!(error.exit_status(), 125);
}

#[test]
fn arguments_are_passed_byte_for_byte() {
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"a b\n\"'$\\\xc3\xa4");
    let long = "x".repeat(100_000);
    let outcome = run(
        &policy,
        command("/usr/bin/printf", tree.root())
            .arg("%s|%s|%s")
            .arg(odd)
            .arg("")
            .arg(&long),
    );
    assert_eq!(outcome.success(), format!("a b\n\"'$\\ä||{long}"));
}

#[test]
fn a_missing_program_is_not_found() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let nowhere = tree.path("nowhere").into_os_string().into_string().unwrap();
    for name in [nowhere.as_str(), "whybox-no-such-program"] {
        for error in [
            refused(&policy, &mut command(name, tree.root())),
            refused(&policy, &mut standard(name, tree.root())),
        ] {
            assert_eq!(error.exit_status(), 127, "{error}");
            assert!(error.to_string().contains("ENOENT"), "{error}");
            assert_eq!(std::io::Error::from(error).kind(), ErrorKind::NotFound);
        }
    }
}

#[test]
fn what_may_not_be_executed_is_not() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let plain = tree.file("plain", "#!/bin/sh\nexit 0\n");
    let ungranted = Tree::new();
    let program = ungranted.program("program", "#!/bin/sh\nexit 0\n");
    for path in [&plain, &program] {
        let error = refused(&policy, &mut command(path, tree.root()));
        assert_eq!(error.exit_status(), 126, "{error}");
        assert!(error.to_string().contains("EACCES"), "{error}");
        assert_eq!(
            std::io::Error::from(error).kind(),
            ErrorKind::PermissionDenied
        );
    }
    let granted = tree.system().exec(ungranted.root()).build().unwrap();
    run(&granted, &mut command(&program, tree.root())).success();
}

/// A file without `#!` is no program to the kernel, and a script to execvp(3), as which a command is started.
#[test]
fn a_script_without_an_interpreter_goes_to_the_shell() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let script = tree.program("script", "echo run \"$0\" \"$@\"\n");
    let outcome = run(&policy, command(&script, tree.root()).arg("argument"));
    assert_eq!(
        outcome.success(),
        format!("run {} argument", script.display())
    );
    assert_eq!(
        shell(&policy, tree.root(), "./script").success(),
        "run ./script"
    );
}

#[test]
fn a_program_is_searched_in_the_path_of_its_own_environment() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    tree.program("first/tool", "#!/bin/sh\necho first\n");
    tree.file("zeroth/tool", "not executable");
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        tree.path("zeroth").display(),
        tree.path("first").display()
    );
    assert_eq!(
        run(&policy, command("tool", tree.root()).env("PATH", path)).success(),
        "first"
    );
}

#[test]
fn the_directory_is_the_one_asked_for() {
    let tree = Tree::new();
    let inner = tree.directory("inner");
    let policy = tree.open().build().unwrap();
    assert_eq!(
        run(&policy, &mut command("/bin/pwd", &inner)).success(),
        inner.to_str().unwrap()
    );
    assert_eq!(
        watched(&policy, &mut standard("/bin/pwd", &inner)).success(),
        inner.to_str().unwrap()
    );
}

/// ENF-63: from a directory that is not there the command does not run at all.
#[test]
fn a_missing_directory_is_an_error() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let mut own = in_shell(
        &tree.path("gone"),
        &format!("touch {}", tree.path("ran").display()),
    );
    let error = refused(&policy, &mut own);
    assert_eq!(error.exit_status(), 125, "{error}");
    assert!(
        error.to_string().contains("ENOENT") && error.to_string().contains("gone"),
        "{error}"
    );
    assert!(!tree.path("ran").exists());
}

/// ENF-68: a directory of which a rule hides the parent is still where the command starts.
#[test]
fn the_directory_may_lie_in_what_is_hidden() {
    let tree = Tree::new();
    tree.file("secret", "s3cret");
    let inner = tree.directory("inner");
    let policy = tree
        .system()
        .hide(tree.root())
        .write(&inner)
        .exec(&inner)
        .build()
        .unwrap();
    let outcome = shell(
        &policy,
        &inner,
        "pwd; touch here && echo made; cat ../secret",
    );
    assert_eq!(outcome.code(), 1);
    assert_eq!(outcome.out, format!("{}\nmade\n", inner.display()));
}

/// LIF-03: the status is the command's own.
#[test]
fn the_status_is_the_commands() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    assert_eq!(shell(&policy, tree.root(), "exit 42").code(), 42);
    for signal in [9, 11, 15] {
        let status = shell(&policy, tree.root(), &format!("kill -{signal} $$")).status;
        assert_eq!(
            (status.signal(), status.code()),
            (Some(signal), None),
            "{status}"
        );
    }
}
