//! Descriptors of the harness.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::Command as Standard;

use rustix::fs::FlockOperation;
use rustix::io::FdFlags;
use whybox::{Cage, Grants};

use crate::common::{Tree, in_shell, run, run_with, system};
use crate::harness::{harness, said};

/// Makes descriptors that every child would inherit, and runs each kind of command, which looks for them.
pub(crate) fn role(root: &Path) {
    let leak = |path: &Path| {
        let file = File::open(path).unwrap();
        rustix::io::fcntl_setfd(&file, FdFlags::empty()).unwrap();
        file
    };
    let hidden = root.join("hidden");
    let kept = [
        leak(&hidden.join("key")),
        leak(&hidden),
        leak(Path::new("/")),
    ];
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    rustix::io::fcntl_setfd(&listener, FdFlags::empty()).unwrap();
    let numbers: Vec<String> = kept
        .iter()
        .map(AsRawFd::as_raw_fd)
        .chain([listener.as_raw_fd()])
        .map(|fd| fd.to_string())
        .collect();
    let script = format!(
        "for fd in {}; do timeout 1 cat <&$fd; cat /proc/self/fd/$fd/key; cat /proc/self/fd/$fd{}; done 2>/dev/null; \
         for fd in /proc/self/fd/*; do test -e $fd && test ${{fd##*/}} -gt 2 && readlink $fd; done; echo end",
        numbers.join(" "),
        hidden.join("key").display()
    );
    // The control: without a cage they are there.
    let outside = Standard::new("/bin/sh")
        .args(["-c", &script])
        .output()
        .unwrap();
    eprintln!(
        "outside {}",
        String::from_utf8_lossy(&outside.stdout)
            .matches("s3cret")
            .count()
    );
    let policy = system(root)
        .write(root)
        .exec(root)
        .hide("hidden")
        .build()
        .unwrap();
    eprintln!(
        "own {}",
        run(&policy, &mut in_shell(root, &script)).success()
    );
    let mut standard = Standard::new("/bin/sh");
    standard
        .args(["-c", &script])
        .current_dir(root)
        .stdin(std::process::Stdio::null());
    standard
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    eprintln!(
        "standard {}",
        run_with(&policy, &whybox::CageOptions::default(), &mut standard).success()
    );
}

/// ENF-25: what the harness has open without close-on-exec is closed; the shell's own descriptor of the listing is gone
/// by the time that it is looked at.
#[test]
fn the_command_inherits_no_descriptors() {
    let tree = Tree::new();
    tree.file("hidden/key", "s3cret");
    assert_eq!(
        said(harness("descriptors", tree.root())),
        "outside 3\nown end\nstandard end\n"
    );
}

/// A lock is held by every copy of its descriptor.
pub(crate) fn role_with_a_lock(root: &Path) {
    let open = || {
        File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(root.join("lock"))
            .unwrap()
    };
    let policy = system(root).write(root).exec(root).build().unwrap();
    let lock = open();
    rustix::io::fcntl_setfd(&lock, FdFlags::empty()).unwrap();
    rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
    let again = open();
    let held = || rustix::fs::flock(&again, FlockOperation::NonBlockingLockExclusive).is_err();
    assert!(held(), "control");
    let cage = Cage::new(&policy).unwrap();
    let mut cat = whybox::Command::new("/bin/cat");
    let mut run = cage
        .spawn(
            cat.current_dir(root).stdin(whybox::Stdio::piped()),
            &Grants::new(),
        )
        .unwrap();
    drop(lock);
    eprintln!("held {}", held());
    assert!(run.wait().unwrap().success());
}

/// LIF-15: neither the command nor the cage's init keeps one.
#[test]
fn a_run_keeps_no_descriptor_of_the_harness() {
    let tree = Tree::new();
    assert_eq!(said(harness("locks", tree.root())), "held false\n");
}
