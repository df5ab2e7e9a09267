//! The end of a run: nothing of it is left (section 8 of the work, X9).

use std::io::{BufRead, BufReader};

use whybox::policy::Lifetime;
use whybox::{Cage, CageOptions, Child, Grants, Policy, Stdio};

use crate::common::{Tree, in_shell, long, python, until};

/// Processes of the host with this mark in their command line.
fn marked(mark: &str) -> Vec<u32> {
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            (String::from_utf8_lossy(&line).contains(mark) && pid != std::process::id())
                .then_some(pid)
        })
        .collect()
}

fn mark(tree: &Tree) -> String {
    tree.root()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned()
}

/// Leaves descendants of every stubborn kind, each with the mark in its command line, and says so.
fn stubborn(mark: &str, then: &str) -> String {
    format!(
        "keep='trap \"\" HUP INT TERM QUIT USR1 USR2; while :; do sleep 600; done # {mark}'\n\
         sh -c \"$keep\" & setsid sh -c \"$keep\" & (setsid sh -c \"$keep\" &) ; (sh -c \"$keep\" &)\n\
         echo up; {then}"
    )
}

fn start(policy: &Policy, tree: &Tree, script: &str) -> Child {
    let cage = Cage::with_options(policy, &CageOptions::default().with_violations()).unwrap();
    let mut command = in_shell(tree.root(), script);
    command.stderr(Stdio::null());
    let mut run = cage.spawn(&mut command, &Grants::new()).unwrap();
    let mut line = String::new();
    BufReader::new(run.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "up\n");
    run
}

#[test]
fn descendants_end_with_the_command() {
    let tree = Tree::new();
    let mark = mark(&tree);
    let policy = tree.open().build().unwrap();
    let mut run = start(&policy, &tree, &stubborn(&mark, "exit 5"));
    assert_eq!(run.wait().unwrap().code(), Some(5));
    assert_eq!(marked(&mark), [0u32; 0]);
    assert!(run.violations().complete);
}

#[test]
fn detached_descendants_stay_until_they_are_ended() {
    let tree = Tree::new();
    let mark = mark(&tree);
    let policy = tree.open().lifetime(Lifetime::Detached).build().unwrap();
    let mut run = start(&policy, &tree, &stubborn(&mark, "exit 5"));
    assert_eq!(run.wait().unwrap().code(), Some(5));
    assert!(marked(&mark).len() >= 3, "control: {:?}", marked(&mark));
    assert!(
        !run.violations().complete,
        "L3: detached descendants hold the record open"
    );
    run.kill_all().unwrap();
    assert_eq!(marked(&mark), [0u32; 0]);
    assert!(run.violations().complete);
    assert_eq!(run.wait().unwrap().code(), Some(5));
}

#[test]
fn detached_descendants_end_with_the_handle() {
    let tree = Tree::new();
    let mark = mark(&tree);
    let policy = tree.open().lifetime(Lifetime::Detached).build().unwrap();
    let mut run = start(&policy, &tree, &stubborn(&mark, "exit 0"));
    run.wait().unwrap();
    assert!(marked(&mark).len() >= 3, "control");
    drop(run);
    assert_eq!(marked(&mark), [0u32; 0]);
}

/// What the command wrote can be read to its end, although others go on.
#[test]
fn a_detached_run_keeps_no_stream_open() {
    let tree = Tree::new();
    let policy = tree.open().lifetime(Lifetime::Detached).build().unwrap();
    let mut run = start(
        &policy,
        &tree,
        "(setsid sleep 600 <&- >&- 2>&- &); echo up; exit 0",
    );
    let mut stdout = run.stdout.take().unwrap();
    assert!(run.wait().unwrap().success());
    let (sender, receiver) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        std::io::Read::read_to_end(&mut stdout, &mut Vec::new()).unwrap();
        let _ = sender.send(());
    });
    let ended = receiver
        .recv_timeout(std::time::Duration::from_secs(10))
        .is_ok();
    run.kill_all().unwrap();
    reader.join().unwrap();
    assert!(ended);
}

/// A detached run is over when its last process is.
#[test]
fn a_detached_record_is_complete_when_the_last_process_has_ended() {
    let tree = Tree::new();
    tree.file("hidden/key", "s3cret");
    let policy = tree
        .open()
        .hide("hidden")
        .lifetime(Lifetime::Detached)
        .build()
        .unwrap();
    let mut run = start(
        &policy,
        &tree,
        "(sh -c 'cat go; cat hidden/key' >/dev/null 2>&1 &); echo up; exit 0",
    );
    assert!(run.wait().unwrap().success());
    until("the record is complete", || run.violations().complete);
    assert_eq!(run.violations().denials().count(), 1);
}

#[test]
fn everything_ends_with_the_handle() {
    let tree = Tree::new();
    let mark = mark(&tree);
    let run = start(
        &tree.open().build().unwrap(),
        &tree,
        &stubborn(&mark, "while :; do sleep 600; done"),
    );
    assert!(marked(&mark).len() >= 3, "control");
    drop(run);
    assert_eq!(marked(&mark), [0u32; 0]);
}

#[test]
fn the_command_is_killed_and_the_rest_with_it() {
    let tree = Tree::new();
    let mark = mark(&tree);
    let mut run = start(
        &tree.open().build().unwrap(),
        &tree,
        &stubborn(&mark, "trap '' TERM; while :; do sleep 600; done"),
    );
    assert_eq!(run.try_wait().unwrap(), None);
    run.kill().unwrap();
    let status = run.wait().unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&status),
        Some(9)
    );
    assert_eq!(marked(&mark), [0u32; 0]);
}

/// H9: processes that fork and change their group faster than anyone could list them.
#[test]
fn a_fork_chain_does_not_outrun_its_end() {
    let tree = Tree::new();
    let mark = mark(&tree);
    let length = if long() { 400 } else { 200 };
    // Each generation lives for a moment in a session of its own; the first of each chain says that it is there.
    let script = format!(
        "# {mark}\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nprint('up', flush=True)\n\
         for n in range({length}):\n    \
         if os.fork() == 0:\n        \
         os.setsid(); os.write(1, b'.')\n        \
         while True:\n            \
         if os.fork(): os._exit(0)\n            os.setsid(); time.sleep(.05)\n\
         time.sleep(600)"
    );
    let cage = Cage::new(&tree.open().build().unwrap()).unwrap();
    let mut command = python(tree.root(), &script);
    command.stderr(Stdio::null());
    let mut run = cage.spawn(&mut command, &Grants::new()).unwrap();
    let mut there = vec![0; "up\n".len() + length];
    std::io::Read::read_exact(run.stdout.as_mut().unwrap(), &mut there).unwrap();
    assert!(!marked(&mark).is_empty(), "control");
    run.kill_all().unwrap();
    assert_eq!(marked(&mark), [0u32; 0]);
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&run.wait().unwrap()),
        Some(9)
    );
}

/// H10: a finished run's handles kill nobody, whatever its ids belong to by now.
#[test]
fn a_finished_run_kills_nobody() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let mut run = start(&policy, &tree, "echo up; exit 0");
    let handle = run.handle();
    let mut other = start(&policy, &tree, "echo up; while :; do sleep 600; done");
    assert!(run.wait().unwrap().success());
    handle.signal(9).unwrap();
    handle.kill_all().unwrap();
    run.kill().unwrap();
    run.kill_all().unwrap();
    drop(run);
    handle.kill_all().unwrap();
    assert_eq!(other.try_wait().unwrap(), None);
    other.kill_all().unwrap();
}

/// From another thread, while this one waits.
#[test]
fn a_handle_ends_a_run_that_is_waited_for() {
    let tree = Tree::new();
    let mut run = start(
        &tree.open().build().unwrap(),
        &tree,
        "echo up; while :; do sleep 600; done",
    );
    let handle = run.handle();
    let killer = std::thread::spawn(move || handle.kill_all());
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&run.wait().unwrap()),
        Some(9)
    );
    killer.join().unwrap().unwrap();
}

/// A process that waits for the ghost's answer when the end comes.
#[test]
fn readers_of_refused_files_end_too() {
    let tree = Tree::new();
    tree.file("hidden/key", "s3cret");
    let policy = tree.open().hide("hidden").build().unwrap();
    for _ in 0..if long() { 100 } else { 5 } {
        let mut run = start(
            &policy,
            &tree,
            "for n in 1 2 3 4; do (while :; do read x <hidden/key; done) & done; echo up; wait",
        );
        run.kill_all().unwrap();
        assert!(!run.wait().unwrap().success());
        assert!(run.violations().complete);
    }
}
