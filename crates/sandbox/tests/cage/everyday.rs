//! Honest work that other sandboxes break.

use crate::common::{Tree, lines, python, run, shell};

#[track_caller]
fn works(policy: &whybox::Policy, tree: &Tree, script: &str) {
    let outcome = run(policy, &mut python(tree.root(), script));
    assert!(outcome.success().ends_with("ok"), "{}", outcome.out);
    assert!(outcome.record.is_empty(), "{}", lines(&outcome.record));
}

/// ENF-30: its own processes, at any depth, and no others.
#[test]
fn processes_see_themselves_at_any_depth() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let script = "f() { head -c 1 /proc/self/maps >/dev/null && head -c 1 /proc/thread-self/status >/dev/null && echo $1; }; \
                  f one; sh -c 'head -c 1 /proc/self/maps >/dev/null && sh -c \"cat /proc/self/stat >/dev/null && echo two\"'; \
                  (setsid cat /proc/self/status >/dev/null && echo three)";
    let outcome = shell(&policy, tree.root(), script);
    assert_eq!(outcome.success(), "one\ntwo\nthree");
    assert!(outcome.record.is_empty(), "{}", lines(&outcome.record));
}

/// ENF-27: a process outside, of the same user and with a secret in its environment, is not there.
#[test]
fn processes_outside_are_not_there() {
    let tree = Tree::new();
    let mut outside = std::process::Command::new("/bin/sleep")
        .arg("600")
        .env("SECRET", "s3cret")
        .spawn()
        .unwrap();
    let pid = outside.id();
    let script = format!(
        "for pid in {pid} {harness}; do for file in environ cmdline maps mem; do cat /proc/$pid/$file; done; ls /proc/$pid/fd /proc/$pid/root; done; \
         grep -l s3cret /proc/[0-9]*/environ; ls /proc | grep -c '^[0-9]'",
        harness = std::process::id()
    );
    // The control; it is there as soon as the program has taken over.
    crate::common::until("the secret is seen outside", || {
        String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/environ")).unwrap())
            .contains("s3cret")
    });
    let outcome = shell(&tree.open().build().unwrap(), tree.root(), &script);
    outside.kill().unwrap();
    outside.wait().unwrap();
    assert!(!outcome.out.contains("s3cret"), "{}", outcome.out);
    let processes: u32 = outcome.out.lines().last().unwrap().parse().unwrap();
    assert!(processes <= 4, "its own alone: {}", outcome.out);
}

/// ENF-48.
#[test]
fn unix_sockets_in_the_tree_work_without_a_network() {
    let tree = Tree::new();
    let script = "server = socket.socket(socket.AF_UNIX); server.bind('s'); server.listen()\n\
                  client = socket.socket(socket.AF_UNIX); client.connect('s'); peer, _ = server.accept()\n\
                  client.send(b'ok'); print(peer.recv(2).decode())";
    works(&tree.open().build().unwrap(), &tree, script);
}

/// ENF-53.
#[test]
fn signals_reach_processes_of_the_same_run() {
    let tree = Tree::new();
    let script = "import subprocess\nfor session in (False, True):\n    \
                  p = subprocess.Popen(['/bin/sleep', '600'], start_new_session=session)\n    \
                  p.terminate(); assert p.wait() == -15\n\
                  p = subprocess.Popen(['/bin/sleep', '600'])\n\
                  signal.pidfd_send_signal(os.pidfd_open(p.pid), signal.SIGKILL); assert p.wait() == -9\n\
                  p = subprocess.Popen(['/bin/sh', '-c', 'sleep 600 & sleep 600'], start_new_session=True)\n\
                  os.killpg(p.pid, signal.SIGKILL); assert p.wait() == -9\nprint('ok')";
    works(&tree.open().build().unwrap(), &tree, script);
}

/// ENF-21: what libraries try first and fall back from.
#[test]
fn threads_and_new_calls_work() {
    let tree = Tree::new();
    let script = "import threading\nt = threading.Thread(target=lambda: None); t.start(); t.join()\n\
                  pid = os.posix_spawn('/bin/true', ['true'], {}); assert os.waitpid(pid, 0)[1] == 0\n\
                  assert os.access('/bin/sh', os.X_OK)\n\
                  import resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0)); resource.prlimit(0, resource.RLIMIT_CORE)\nprint('ok')";
    works(&tree.open().build().unwrap(), &tree, script);
}

#[test]
fn locks_and_watches_work() {
    let tree = Tree::new();
    let script = "import fcntl\nf = open('lock', 'w'); fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX)\n\
                  watch = libc.inotify_init(); checked(libc.inotify_add_watch(watch, b'.', 0x100)); open('made', 'w').close()\n\
                  assert b'made' in os.read(watch, 4096)\n\
                  assert os.getcwd() == os.path.realpath('.')\nos.statvfs('/'); os.statvfs('.')\nprint('ok')";
    works(&tree.open().build().unwrap(), &tree, script);
}

/// LIF-04: a signal that arrives in the middle interrupts no open, granted or refused; and no refused call is let through.
#[test]
fn signals_do_not_interrupt_opens() {
    let tree = Tree::new();
    tree.file("hidden/key", "s3cret");
    let script = "signal.signal(signal.SIGALRM, lambda *a: None); signal.siginterrupt(signal.SIGALRM, True)\n\
                  signal.setitimer(signal.ITIMER_REAL, .0005, .0005)\n\
                  opens, calls, granted = set(), set(), set()\n\
                  for _ in range(500):\n    \
                  fd = libc.open(b'/etc/passwd', 0); granted.add(0 if fd >= 0 else ctypes.get_errno()); libc.close(fd)\n    \
                  assert libc.open(b'hidden/key', 0) < 0; opens.add(ctypes.get_errno())\n    \
                  assert libc.ptrace(0, 0, 0, 0) < 0; calls.add(ctypes.get_errno())\n\
                  signal.setitimer(signal.ITIMER_REAL, 0)\n\
                  print(granted, opens, calls - {errno.EINTR})";
    let outcome = run(
        &tree.open().hide("hidden").build().unwrap(),
        &mut python(tree.root(), script),
    );
    assert_eq!(
        outcome.success(),
        "{0} {13} {1}",
        "granted, hidden, refused"
    );
}

/// ENF-10 before pathname sockets can be refused: nothing beneath a hidden directory is connected to.
#[test]
fn a_socket_in_a_hidden_directory_is_not_reached() {
    let tree = Tree::new();
    let path = tree.directory("hidden").join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    tree.link("hidden/socket", "link");
    let script = "for path in ('hidden/socket', 'link'):\n    attempt(path, lambda: socket.socket(socket.AF_UNIX).connect(path))\n";
    crate::common::verdicts(&tree.open().build().unwrap(), tree.root(), script)
        .0
        .all_succeed();
    let (verdicts, record) = crate::common::verdicts(
        &tree.open().hide("hidden").build().unwrap(),
        tree.root(),
        script,
    );
    verdicts.all_give(&["EACCES"]);
    assert!(record.denials().count() > 0);
}
