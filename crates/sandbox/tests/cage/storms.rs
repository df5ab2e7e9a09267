//! Floods of denials (V10, X6, H12).

use whybox::record::Class;

use crate::common::{Tree, lines, long, python, run};

/// Eight processes that ask under changing names and paths neither pass the bound nor push out a denial of another
/// kind, one that came before them, or one that comes after.
#[test]
fn a_flood_of_reads_hides_nothing_else() {
    let tree = Tree::new();
    tree.directory("hidden");
    tree.file("key", "s3cret");
    let each: u64 = if long() { 125_000 } else { 2_500 };
    let script = format!(
        "def tries(path):\n    try: os.stat(path)\n    except OSError: pass\n\
         try: read('key')\nexcept OSError: pass\n\
         pids = []\n\
         for p in range(8):\n    pid = os.fork()\n    if pid == 0:\n        \
         for n in range({each}):\n            \
         if n % 50 == 0: libc.prctl(15, b'name%d' % n, 0, 0, 0)\n            \
         tries(f'hidden/{{p}}-{{n}}')\n        os._exit(0)\n    pids.append(pid)\n\
         for pid in pids: os.waitpid(pid, 0)\n\
         libc.ptrace(16, 1, 0, 0)\nlibc.prctl(15, b'last', 0, 0, 0)\n\
         try: os.listdir('/root' if os.getuid() == 0 else '/var/lib')\nexcept OSError: pass\n"
    );
    let outcome = run(
        &tree.open().hide("hidden").hide("key").build().unwrap(),
        &mut python(tree.root(), &script),
    );
    outcome.success();
    let record = &outcome.record;
    assert!(record.complete);
    assert!(record.len() <= 10_000, "{}", record.len());
    let reads: u64 = record
        .iter()
        .filter(|entry| entry.class == Class::FileRead)
        .map(|entry| entry.repeats)
        .sum();
    assert_eq!(
        reads + record.dropped.get(Class::FileRead),
        8 * each + 2,
        "every one is an entry, a repeat or counted"
    );
    assert!(
        record
            .iter()
            .any(|entry| entry.target.bytes() == b"ptrace(PTRACE_ATTACH)"),
        "another class"
    );
    assert!(
        record
            .iter()
            .any(|entry| entry.target.bytes() == tree.path("key").as_os_str().as_encoded_bytes()),
        "an earlier one"
    );
    assert!(
        record.iter().any(|entry| entry.process.name() == b"last"),
        "a later one of another process: {}",
        record.dropped.get(Class::FileRead)
    );
}

/// Processes that each live for one denial.
#[test]
fn a_storm_of_processes_is_told_rightly() {
    let tree = Tree::new();
    tree.file("key", "s3cret");
    let processes = if long() { 3_000 } else { 200 };
    let script = format!(
        "for n in range({processes}):\n    pid = os.fork()\n    if pid == 0:\n        \
         libc.prctl(15, b'p%d' % n, 0, 0, 0)\n        libc.open(b'key', 0); os._exit(0)\n    \
         if n % 8 == 7:\n        try:\n            while True: os.waitpid(-1, 0)\n        except ChildProcessError: pass\n"
    );
    let outcome = run(
        &tree.open().hide("key").build().unwrap(),
        &mut python(tree.root(), &script),
    );
    outcome.success();
    let mut names: Vec<String> = outcome
        .record
        .denials()
        .map(|entry| String::from_utf8_lossy(entry.process.name()).into_owned())
        .collect();
    names.sort();
    let mut wanted: Vec<String> = (0..processes).map(|n| format!("p{n}")).collect();
    wanted.sort();
    assert!(
        names == wanted,
        "{} of {processes}: {}",
        names.len(),
        lines(&outcome.record)
    );
}
