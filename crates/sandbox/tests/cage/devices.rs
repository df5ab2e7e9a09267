//! The cage's own devices, terminals and shared memory.

use crate::common::{Tree, lines, python, run, shell, verdicts};

/// ENF-52.
#[test]
fn everyday_devices_work() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let script = "echo x >/dev/null && test $(head -c 3 /dev/zero | wc -c) = 3 && head -c 1 /dev/urandom >/dev/null && \
                  head -c 1 /dev/random >/dev/null && { echo x >/dev/full && exit 1; echo out >/dev/stdout && echo err >/dev/stderr && \
                  echo fd | cat /dev/fd/0 && echo in | cat /dev/stdin; }";
    let outcome = shell(&policy, tree.root(), script);
    assert_eq!(outcome.success(), "out\nfd\nin");
    assert!(outcome.err.ends_with("err\n"), "{}", outcome.err);
    assert!(outcome.record.is_empty(), "{}", lines(&outcome.record));
}

#[test]
fn terminals_of_its_own_work() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let script = "import pty\nmaster, slave = os.openpty()\nos.write(slave, b'x')\nprint(os.read(master, 1).decode(), os.ttyname(slave))";
    let outcome = run(&policy, &mut python(tree.root(), script));
    assert!(
        outcome.success().starts_with("x /dev/pts/"),
        "{}",
        outcome.out
    );
    assert!(outcome.record.is_empty(), "{}", lines(&outcome.record));
}

/// ENF-05.
#[test]
fn shared_memory_and_semaphores_work() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let script = "from multiprocessing import Lock, Value\nfrom multiprocessing.shared_memory import SharedMemory\n\
                  with Lock(): Value('i')\nm = SharedMemory(create=True, size=10); m.close(); m.unlink()\nprint('ok')";
    let mut command = python(tree.root(), script);
    let outcome = run(&policy, &mut command);
    assert_eq!(outcome.success(), "ok", "{}", outcome.err);
    assert!(outcome.record.is_empty(), "{}", lines(&outcome.record));
}

/// ENF-35: here-documents that are larger than a pipe lie in a file.
#[test]
fn here_documents_work() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let mut command = crate::common::command("/bin/bash", tree.root());
    command.args([
        "-c",
        "cat <<<\"$(head -c 100000 /dev/zero | tr '\\0' a)\" | wc -c",
    ]);
    let outcome = run(&policy, &mut command);
    assert_eq!(outcome.success().trim(), "100001");
    assert!(outcome.record.is_empty(), "{}", lines(&outcome.record));
}

/// No device of the host beyond these is there, for root either.
#[test]
fn no_other_devices_are_there() {
    let tree = Tree::new();
    let script = "for name in ('mem', 'kmsg', 'port', 'fuse', 'kvm', 'loop0', 'sda', 'vda', 'console', 'tty0', 'net/tun', 'uinput'):\n    \
                  attempt(name, lambda: os.close(os.open('/dev/' + name, os.O_RDONLY | os.O_NONBLOCK)))\n\
                  attempt('make', os.mknod, '/dev/new')\nattempt('make in tmp', os.mknod, '/tmp/null', 0o20666, os.makedev(1, 3))\n";
    let (verdicts, _) = verdicts(&tree.open().build().unwrap(), tree.root(), script);
    verdicts.all_give(&["ENOENT", "EACCES", "EPERM"]);
}

/// The own `/tmp` is empty, writable, and not the host's.
#[test]
fn the_own_tmp_is_its_own() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let outside = tempfile::Builder::new()
        .prefix("whybox-test-")
        .tempfile_in("/tmp")
        .unwrap();
    let script = format!(
        "ls -A /tmp; test -e {0} || echo absent; echo x >{0} && cat {0}",
        outside.path().display()
    );
    let outcome = shell(&policy, tree.root(), &script);
    assert_eq!(outcome.success(), "absent\nx");
    assert_eq!(
        outcome.record.denials().count(),
        0,
        "{}",
        lines(&outcome.record)
    );
    assert_eq!(std::fs::read(outside.path()).unwrap(), b"");
}
