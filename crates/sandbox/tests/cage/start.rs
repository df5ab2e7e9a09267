//! Starting: both kinds of command, from any thread and any harness.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command as Standard, Stdio as StandardStdio};
use std::sync::Barrier;

use whybox::{Cage, CageOptions, Child, Command, Error, Grants, Policy, Spawn, Stdio};

use crate::common::{Outcome, Tree, command, in_shell, is_root, run, run_with, shell};
use crate::harness::{harness, harness_under, said};

fn standard(program: &str, directory: &Path) -> Standard {
    let mut command = Standard::new(program);
    command
        .current_dir(directory)
        .stdin(StandardStdio::null())
        .stdout(StandardStdio::piped())
        .stderr(StandardStdio::piped());
    command
}

fn watched<C: Spawn>(policy: &Policy, command: C) -> Outcome {
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
#[ignore = "waits for a fix: a standard command's other name is lost"]
fn a_program_of_a_standard_command_sees_the_name_that_it_is_given() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let mut standard = standard("/bin/cat", tree.root());
    let standard = watched(&policy, standard.arg0("other").arg("/proc/self/cmdline"));
    assert_eq!(standard.success(), "other\0/proc/self/cmdline\0");
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

/// A command that echoes what it reads, so that a test can tell that it lives.
fn echo(tree: &Tree) -> Command {
    let mut cat = Command::new("/bin/cat");
    cat.current_dir(tree.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    cat
}

#[track_caller]
fn lives(run: &mut Child) {
    run.stdin.as_mut().unwrap().write_all(b"word\n").unwrap();
    let mut line = String::new();
    BufReader::new(run.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "word\n");
}

/// H8: the signal of a parent's death follows the thread.
#[test]
fn a_run_survives_the_thread_that_started_it() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let mut standard = standard("/bin/cat", tree.root());
    standard.stdin(StandardStdio::piped());
    let spawned = std::thread::scope(|scope| {
        let policy = &policy;
        let own = scope.spawn(|| {
            Cage::new(policy)
                .unwrap()
                .spawn(&mut echo(&tree), &Grants::new())
                .unwrap()
        });
        let standard = scope.spawn(move || {
            Cage::new(policy)
                .unwrap()
                .spawn(&mut standard, &Grants::new())
                .unwrap()
        });
        [own.join().unwrap(), standard.join().unwrap()]
    });
    for mut run in spawned {
        lives(&mut run);
        assert!(run.wait().unwrap().success());
    }
}

#[test]
fn sixty_four_cages_run_at_once() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    let mut runs: Vec<Child> = (0..64)
        .map(|_| cage.spawn(&mut echo(&tree), &Grants::new()).unwrap())
        .collect();
    runs.iter_mut().for_each(lives);
    for mut run in runs {
        assert!(run.wait().unwrap().success());
        let record = run.violations();
        assert!(record.is_empty() && record.complete);
    }
}

#[test]
fn cages_start_from_many_threads_of_a_harness_with_more() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let cage = Cage::new(&policy).unwrap();
    let (all_there, all_done) = (Barrier::new(64), Barrier::new(64));
    std::thread::scope(|scope| {
        for number in 0..64 {
            let (cage, tree, all_there, all_done) = (&cage, &tree, &all_there, &all_done);
            scope.spawn(move || {
                all_there.wait();
                if number < 8 {
                    let mut run = cage.spawn(&mut echo(tree), &Grants::new()).unwrap();
                    lives(&mut run);
                    assert!(run.wait().unwrap().success());
                    let mut command = Standard::new("/bin/true");
                    let mut run = cage
                        .spawn(command.current_dir(tree.root()), &Grants::new())
                        .unwrap();
                    assert!(run.wait().unwrap().success());
                }
                all_done.wait();
            });
        }
    });
}

/// What the harnesses below do: each kind of command once, and say how it went.
pub(crate) fn role(root: &Path) {
    let policy = crate::common::system(root)
        .write(root)
        .exec(root)
        .build()
        .unwrap();
    let script = "echo \"$1\"; exit 3";
    let own = run(&policy, in_shell(root, script).args(["sh", "own"]));
    let mut other = standard("/bin/sh", root);
    let other = watched(&policy, other.args(["-c", script, "sh", "standard"]));
    for outcome in [own, other] {
        eprintln!(
            "{} {} {}",
            outcome.out.trim_end(),
            outcome.code(),
            outcome.record.complete
        );
    }
}

pub(crate) fn role_that_ignores_its_children(root: &Path) {
    // SAFETY: no handler is installed; nothing else runs in this program yet.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    role(root);
}

pub(crate) fn role_that_blocks_signals(root: &Path) {
    // SAFETY: a set that is filled before it is read.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
    }
    role(root);
}

/// As PID 1 or its child: what cages leave would stay as zombies.
pub(crate) fn role_that_counts_zombies(root: &Path) {
    let policy = crate::common::system(root)
        .write(root)
        .exec(root)
        .build()
        .unwrap();
    for _ in 0..3 {
        shell(&policy, root, "(sleep 0.01 &); true").success();
    }
    role(root);
    let zombies = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.ok()?.path().join("stat")).ok()?;
        stat.rsplit_once(") ")?.1.starts_with('Z').then_some(stat)
    });
    eprintln!("zombies {:?}", zombies.collect::<Vec<_>>());
}

const BOTH: &str = "own 3 true\nstandard 3 true\n";

#[test]
fn a_harness_may_ignore_its_children() {
    let tree = Tree::new();
    assert_eq!(said(harness("ignore-children", tree.root())), BOTH);
}

#[test]
fn a_harness_may_block_all_signals() {
    let tree = Tree::new();
    assert_eq!(said(harness("block-signals", tree.root())), BOTH);
}

/// LIF-11, LIF-06.
#[test]
fn a_harness_may_be_the_first_process_or_its_child() {
    let tree = Tree::new();
    let mut launcher = vec!["/usr/bin/unshare"];
    if !is_root() {
        launcher.extend(["--user", "--map-root-user"]);
    }
    launcher.extend(["--pid", "--fork", "--mount-proc"]);
    let clean = format!("{BOTH}zombies []\n");
    assert_eq!(
        said(harness_under(&launcher, "no-zombies", tree.root())),
        clean,
        "as PID 1"
    );
    launcher.extend(["/bin/sh", "-c", "\"$0\" \"$@\"; exit $?"]);
    assert_eq!(
        said(harness_under(&launcher, "no-zombies", tree.root())),
        clean,
        "as its child"
    );
}

/// H16: a cage in a cage needs namespaces, which the outer one does not give; it says so, and nothing runs.
#[test]
fn a_cage_in_a_cage_is_refused_with_a_reason() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let inside = std::env::current_exe().unwrap();
    let cage = Cage::new(&policy).unwrap();
    let mut command = command(&inside, tree.root());
    command
        .args([
            "--exact",
            "harness::role",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("WHYBOX_TEST_ROLE", "start");
    command.env("WHYBOX_TEST_TREE", tree.root());
    let grants = Grants::new().exec(inside.parent().unwrap());
    let outcome = crate::common::finish(cage.spawn(&mut command, &grants).unwrap());
    assert!(!outcome.status.success());
    assert!(outcome.err.contains("user namespace"), "{}", outcome.err);
}
