//! The live stream of entries (V7).

use std::io::Write;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use whybox::record::Class;
use whybox::{Cage, CageOptions, Grants, Stdio};

use crate::common::{Tree, in_shell, python};

/// V7: the stream brings entries as they come, and ends.
#[test]
fn the_stream_brings_entries_and_ends() {
    let tree = Tree::new();
    let key = tree.file("key", "s3cret");
    let policy = tree.open().hide("key").build().unwrap();
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    let mut command = in_shell(tree.root(), "cat key; read line; cat key; exit 0");
    let mut run = cage
        .spawn(
            command.stdin(Stdio::piped()).stderr(Stdio::null()),
            &Grants::new(),
        )
        .unwrap();
    let stream = run.violation_receiver();
    let first = stream.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(first.target.bytes(), key.as_os_str().as_encoded_bytes());
    assert_eq!(
        stream.recv_timeout(Duration::ZERO).unwrap_err(),
        RecvTimeoutError::Timeout,
        "it goes on"
    );
    run.stdin.take().unwrap().write_all(b"go on\n").unwrap();
    let second = stream.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(second.id > first.id && second.process.pid() != first.process.pid());
    assert!(run.wait().unwrap().success());
    assert!(run.violations().complete);
    assert_eq!(
        stream.recv_timeout(Duration::from_secs(20)).unwrap_err(),
        RecvTimeoutError::Disconnected
    );
}

/// V7: it also ends where nobody reads the record, and brings what came before it was asked for.
#[test]
fn the_stream_ends_with_the_run() {
    let tree = Tree::new();
    tree.file("key", "s3cret");
    let policy = tree.open().hide("key").build().unwrap();
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    let mut command = in_shell(tree.root(), "cat key");
    let mut run = cage
        .spawn(command.stderr(Stdio::null()), &Grants::new())
        .unwrap();
    assert!(!run.wait().unwrap().success());
    let stream = run.violation_receiver();
    drop(run);
    assert_eq!(stream.iter().count(), 1);
}

/// V7: a reader that falls behind costs the stream, never the record.
#[test]
fn the_stream_is_bounded_and_the_record_is_not_by_it() {
    let tree = Tree::new();
    tree.directory("hidden");
    let policy = tree.open().hide("hidden").build().unwrap();
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    let script = "for n in range(2000):\n    try: os.stat(f'hidden/{n}')\n    except OSError: pass";
    let mut command = python(tree.root(), script);
    let mut run = cage.spawn(&mut command, &Grants::new()).unwrap();
    let stream = run.violation_receiver();
    assert!(run.wait().unwrap().success());
    let record = run.violations();
    assert_eq!(
        denials(&record),
        2_000 - record.dropped.get(Class::FileRead),
        "{:?}",
        record.dropped
    );
    assert_eq!(stream.iter().count(), 1_024);
}

fn denials(record: &whybox::Violations) -> u64 {
    record.denials().map(|entry| entry.repeats).sum()
}
