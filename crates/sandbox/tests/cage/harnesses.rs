//! Starting from any thread, and from any kind of harness.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command as Standard, Stdio as StandardStdio};
use std::sync::Barrier;

use whybox::{Cage, CageOptions, Child, Command, Grants, Stdio};

use crate::common::{Tree, command, in_shell, is_root, run, shell};
use crate::harness::{harness, harness_under, said};
use crate::start::{standard, watched};

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
