//! The record, as a harness sees it.

use whybox::record::{
    Class, CoverageState, DeniedByKind, Kind, Operation, OrdinaryPermissions, Witness,
};
use whybox::{Cage, CageOptions, Command, Grants, Stdio};

use crate::common::{
    Tree, command, denials_of, in_shell, is_root, lines, python, run, run_with, shell,
};

/// V2, V3: each part of an entry.
#[test]
fn an_entry_says_who_what_and_why() {
    let tree = Tree::new();
    let key = tree.file("key", "s3cret");
    let policy = tree.open().hide("key").build().unwrap();
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    let before = std::time::SystemTime::now();
    let mut head = Command::new("/usr/bin/head");
    head.arg("key")
        .current_dir(tree.root())
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let mut run = cage.spawn(&mut head, &Grants::new()).unwrap();
    let id = run.id();
    assert_eq!(run.wait().unwrap().code(), Some(1));
    let record = run.violations();
    assert!(record.complete);
    assert_eq!(record.len(), 1, "{}", lines(&record));
    let entry = record.iter().next().unwrap();
    assert_eq!(entry.process.name(), b"head");
    assert_eq!(entry.process.pid(), id);
    assert!(entry.process.ppid() > 0 && entry.process.ppid() != id);
    let exe = entry.process.exe().unwrap();
    assert_eq!(
        exe,
        std::fs::canonicalize("/usr/bin/head")
            .unwrap()
            .as_os_str()
            .as_encoded_bytes()
    );
    assert_eq!(
        (entry.class, entry.operation, entry.kind),
        (Class::FileRead, Operation::FileReadData, Kind::Denial)
    );
    assert_eq!(entry.target.bytes(), key.as_os_str().as_encoded_bytes());
    assert_eq!(
        (entry.denied_by.kind, entry.denied_by.rule.as_deref()),
        (DeniedByKind::Hidden, Some("hide \"key\""))
    );
    assert_eq!(
        (entry.errno.name(), entry.witness, entry.exact),
        (Some("EACCES"), Witness::Ghost, true)
    );
    assert_eq!(
        (entry.ordinary_permissions, entry.repeats),
        (OrdinaryPermissions::Allow, 1)
    );
    assert!(
        before <= entry.first
            && entry.first == entry.last
            && entry.last <= std::time::SystemTime::now()
    );
    assert_eq!(
        entry.to_string(),
        format!(
            "head[{id}] refused file-read-data {} (hidden by hide \"key\")",
            key.display()
        )
    );
}

/// V5: identical denials are one entry, of one process and target each.
#[test]
fn identical_denials_are_counted() {
    let tree = Tree::new();
    tree.file("key", "s3cret");
    tree.file("other", "s3cret");
    let policy = tree.open().hide("key").hide("other").build().unwrap();
    let script = "def tries(n, path):\n    for _ in range(n):\n        try: read(path)\n        except OSError: pass\n\
                  tries(7, 'key'); tries(3, 'other')\n\
                  pid = os.fork()\nif pid == 0: tries(5, 'key'); os._exit(0)\nos.waitpid(pid, 0); tries(2, 'key')";
    let outcome = run(&policy, &mut python(tree.root(), script));
    outcome.success();
    let counts = |name: &str| {
        denials_of(&outcome.record, tree.path(name))
            .iter()
            .map(|entry| entry.repeats)
            .collect::<Vec<_>>()
    };
    assert_eq!(counts("key"), [9, 5], "{}", lines(&outcome.record));
    assert_eq!(counts("other"), [3], "{}", lines(&outcome.record));
    let ids: Vec<u64> = outcome.record.iter().map(|entry| entry.id).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>());
}

/// V8: nothing is complete before the end; read again it is.
#[test]
fn a_record_is_complete_after_the_end() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    let mut command = in_shell(tree.root(), "read line");
    let mut run = cage
        .spawn(command.stdin(Stdio::piped()), &Grants::new())
        .unwrap();
    assert!(!run.violations().complete);
    let _ = run.wait().unwrap();
    assert!(run.violations().complete);
    assert!(run.violations().complete);
}

/// V1, V9: without reporting nothing is kept, and the coverage says that it is off.
#[test]
fn coverage_says_what_the_record_can_show() {
    let tree = Tree::new();
    tree.file("key", "s3cret");
    let policy = tree.open().hide("key").hide("later").build().unwrap();
    let off = run_with(
        &policy,
        &CageOptions::default(),
        &mut in_shell(tree.root(), "cat key"),
    );
    assert_eq!(off.code(), 1);
    assert!(off.record.is_empty());
    assert!(
        off.record
            .coverage
            .iter()
            .all(|(_, one)| one.state == CoverageState::Off && one.witnesses.is_empty())
    );
    let on = shell(&policy, tree.root(), "cat key");
    assert_eq!(on.code(), 1);
    let coverage = &on.record.coverage;
    assert_eq!(coverage.get(Class::FileRead).state, CoverageState::Exact);
    assert_eq!(coverage.get(Class::FileRead).witnesses, [Witness::Ghost]);
    assert_eq!(
        coverage.get(Class::FileWrite).state,
        CoverageState::BestEffort
    );
    assert_eq!(coverage.get(Class::SystemCall).state, CoverageState::Exact);
    assert_eq!(
        coverage.get(Class::Network).state,
        CoverageState::NotObserved
    );
    for record in [&off.record, &on.record] {
        assert!(
            record
                .coverage
                .unenforced
                .iter()
                .any(|one| one.rule.contains("later"))
        );
    }
}

/// OBS-26: a thread's denial is its process's, by the process's name and id.
#[test]
fn threads_are_told_by_their_process() {
    let tree = Tree::new();
    let key = tree.file("key", "s3cret");
    let policy = tree.open().hide("key").build().unwrap();
    let script = "import threading\ndef tries():\n    try: read('key')\n    except OSError: pass\n    \
                  libc.ptrace(0, 0, 0, 0)\n\
                  threads = [threading.Thread(target=tries) for _ in range(8)]\n\
                  [t.start() for t in threads]; [t.join() for t in threads]";
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    let mut run = cage
        .spawn(&mut python(tree.root(), script), &Grants::new())
        .unwrap();
    let id = run.id();
    assert!(run.wait().unwrap().success());
    let record = run.violations();
    let reads = denials_of(&record, &key);
    assert_eq!(reads.len(), 1, "{}", lines(&record));
    assert_eq!((reads[0].process.pid(), reads[0].repeats), (id, 8));
    let traces: Vec<_> = record
        .denials()
        .filter(|entry| entry.class == Class::SystemCall)
        .collect();
    assert_eq!(traces.len(), 1, "{}", lines(&record));
    assert_eq!((traces[0].process.pid(), traces[0].repeats), (id, 8));
}

/// L1: the same name, each in its own process, right however short they live.
#[test]
fn short_lived_processes_have_their_names() {
    let tree = Tree::new();
    let key = tree.file("key", "s3cret");
    for name in ["one", "two", "three"] {
        std::fs::copy("/bin/cat", tree.path(name)).unwrap();
    }
    let policy = tree.open().hide("key").build().unwrap();
    let outcome = shell(
        &policy,
        tree.root(),
        "for n in 1 2 3 4 5 6 7 8 9 10; do ./one key & ./two key & ./three key & done; wait; exit 0",
    );
    outcome.success();
    for name in ["one", "two", "three"] {
        let of_name: Vec<_> = denials_of(&outcome.record, &key)
            .into_iter()
            .filter(|entry| entry.process.name() == name.as_bytes())
            .collect();
        assert_eq!(of_name.len(), 10, "{}", lines(&outcome.record));
        assert!(of_name.iter().all(
            |entry| entry.process.exe() == Some(tree.path(name).as_os_str().as_encoded_bytes())
        ));
    }
}

/// L1: refused calls, named with what they ask for, once per refusal.
#[test]
fn refused_calls_are_named() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let script = "for _ in range(3): libc.ptrace(16, 1, 0, 0)\n\
                  libc.unshare(0x10000000)\nlibc.ioctl(0, ctypes.c_ulong(0x5412), b'x')\n\
                  libc.syscall(SYS_io_uring_setup, 8, 0)\nlibc.syscall(SYS_prlimit64, 1, 0, struct.pack('QQ', 1, 1), 0)";
    let outcome = run(&policy, &mut python(tree.root(), script));
    outcome.success();
    let told: Vec<_> = outcome
        .record
        .iter()
        .map(|entry| {
            (
                String::from_utf8_lossy(entry.target.bytes()).into_owned(),
                entry.denied_by.class.clone().unwrap(),
                entry.errno.name().unwrap(),
                entry.repeats,
            )
        })
        .collect();
    let wanted = [
        ("ptrace(PTRACE_ATTACH)", "ptrace", "EPERM", 3),
        ("unshare(CLONE_NEWUSER)", "namespaces", "EPERM", 1),
        ("ioctl(TIOCSTI)", "terminal-injection", "EPERM", 1),
        ("io_uring_setup", "io-uring", "ENOSYS", 1),
        ("prlimit64(pid 1)", "process-limits", "EPERM", 1),
    ];
    assert_eq!(
        told,
        wanted.map(|(call, class, errno, repeats)| (
            call.to_owned(),
            class.to_owned(),
            errno,
            repeats
        ))
    );
    assert!(
        outcome
            .record
            .iter()
            .all(|entry| entry.class == Class::SystemCall && entry.witness == Witness::Supervisor)
    );
}

/// X3: what ordinary permissions refuse as well says so, and is not shown to a person.
#[test]
fn what_ordinary_permissions_refuse_is_marked() {
    if is_root() {
        return;
    }
    let tree = Tree::new();
    let outcome = run(
        &tree.open().build().unwrap(),
        command("/bin/cat", tree.root()).arg("/proc/1/../../root/.bashrc"),
    );
    assert_eq!(outcome.code(), 1);
    assert!(
        outcome
            .record
            .iter()
            .all(|entry| entry.ordinary_permissions == OrdinaryPermissions::Deny),
        "{}",
        lines(&outcome.record)
    );
    assert!(outcome.record.for_summary(true).is_empty());
}

/// V6: a look at what everyone looks at is quiet, unless the list is off.
#[test]
fn the_quiet_list_can_be_switched_off() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let script = "cat /sys/fs/cgroup/cgroup.controllers /sys/devices/system/cpu/online /proc/self/cgroup >/dev/null 2>&1; locale -a >/dev/null 2>&1; exit 0";
    assert_eq!(
        shell(&policy, tree.root(), "id; locale; exit 0")
            .record
            .denials()
            .count(),
        0
    );
    let loud = run_with(
        &policy,
        &CageOptions::default()
            .with_violations()
            .without_quiet_list(),
        &mut in_shell(tree.root(), script),
    );
    let quiet = shell(&policy, tree.root(), script);
    assert!(loud.record.len() >= quiet.record.len());
}

/// The policy in effect and the plan can be looked at.
#[test]
fn a_run_tells_its_policy_and_a_cage_its_plan() {
    let tree = Tree::new();
    let other = Tree::new();
    let cage = Cage::new(&tree.open().build().unwrap()).unwrap();
    let grants = Grants::new().read(other.root());
    let mut run = cage
        .spawn(&mut command("/bin/true", tree.root()), &grants)
        .unwrap();
    assert!(
        run.policy()
            .decide(whybox::policy::Access::Read, other.root())
            .allowed
    );
    assert!(run.wait().unwrap().success());
    let plan = cage
        .plan(&command("/bin/true", tree.root()), &grants)
        .unwrap();
    assert!(plan.contains(other.root().to_str().unwrap()), "{plan}");
}
