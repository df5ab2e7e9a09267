//! Reading what is not granted or hidden, by every spelling (S1, S2).

use whybox::record::{Class, DeniedByKind, Operation};

use crate::common::{Tree, denials_of, lines, run, shell, verdicts};

/// Every way to read `sys.argv[1]`, made of its directory and name.
const SPELLINGS: &str = r#"
target, link = TARGET, LINK
directory, name = os.path.split(target)
outer, inner = os.path.split(directory)
attempt('plain', read, target)
attempt('doubled slashes', read, target.replace('/', '//'))
attempt('dots', read, f'{outer}/./{inner}/./{name}')
attempt('dot dot', read, f'{directory}/../{inner}/{name}')
attempt('symlink', read, link)
attempt('process root', read, '/proc/self/root' + target)
attempt('thread root', read, '/proc/thread-self/root' + target)
attempt('own id', read, f'/proc/{os.getpid()}/root{target}')
attempt('process directory', read, '/proc/self/cwd/' + os.path.relpath(target))
attempt('relative', read, os.path.relpath(target))
def reopened(flags, way):
    fd = os.open(target, os.O_PATH)
    try: return way(fd)
    finally: os.close(fd)
attempt('reopened by proc', reopened, 0, lambda fd: read(f'/proc/self/fd/{fd}'))
attempt('reopened by dev', reopened, 0, lambda fd: read(f'/dev/fd/{fd}'))
def above(way):
    fd = os.open('/', os.O_PATH)
    try: return way(fd)
    finally: os.close(fd)
attempt('from a descriptor of the root', above, lambda fd: os.close(os.open(target[1:], os.O_RDONLY, dir_fd=fd)))
attempt('below a descriptor in proc', above, lambda fd: read(f'/proc/self/fd/{fd}{target}'))
attempt('raw openat', lambda: os.close(call(SYS_openat, -100, target.encode(), 0)))
RESOLVE = {'none': 0, 'no xdev': 1, 'no magiclinks': 2, 'no symlinks': 4, 'beneath': 8, 'in root': 16}
def openat2(resolve):
    start, path = (-100, target) if resolve not in (8, 16) else (os.open('/', os.O_PATH), target[1:])
    os.close(call(SYS_openat2, start, path.encode(), struct.pack('QQQ', os.O_RDONLY, 0, resolve), 24))
for flag, value in RESOLVE.items():
    attempt('openat2 ' + flag, openat2, value)
attempt('read and write', lambda: os.close(os.open(target, os.O_RDWR)))
attempt('no access time', lambda: os.close(os.open(target, os.O_RDONLY | os.O_NONBLOCK)))
attempt('sent', lambda: os.sendfile(os.memfd_create('x'), os.open(target, os.O_RDONLY), 0, 1))
"#;

fn spellings(target: &std::path::Path, link: &std::path::Path) -> String {
    SPELLINGS
        .replace("TARGET", &format!("{target:?}"))
        .replace("LINK", &format!("{link:?}"))
}

/// The verdicts of attempts that cross a mount where they must not are the kernel's own.
const NO_CROSSING: [&str; 2] = ["ok", "EXDEV"];

/// ENF-22, ENF-39: a file that no rule grants.
#[test]
fn what_is_not_granted_is_not_read_by_any_spelling() {
    let (tree, outside) = (Tree::new(), Tree::new());
    let key = outside.file("inner/key", "s3cret");
    let link = tree.link(&key, "link");
    let script = spellings(&key, &link);
    let (control, record) = verdicts(
        &tree.open().write(outside.root()).build().unwrap(),
        tree.root(),
        &script,
    );
    let (crossing, others): (Vec<_>, Vec<_>) =
        control.names().partition(|name| *name == "openat2 no xdev");
    others.iter().for_each(|name| control.gives(name, &["ok"]));
    crossing
        .iter()
        .for_each(|name| control.gives(name, &NO_CROSSING));
    assert!(record.is_empty(), "{}", lines(&record));

    let (refused, record) = verdicts(&tree.open().build().unwrap(), tree.root(), &script);
    refused
        .names()
        .filter(|name| *name != "openat2 no xdev")
        .for_each(|name| refused.gives(name, &["EACCES"]));
    refused.gives("openat2 no xdev", &["EACCES", "EXDEV"]);
    let entries = denials_of(&record, &key);
    let reads: u64 = entries
        .iter()
        .filter(|entry| entry.operation == Operation::FileReadData)
        .map(|entry| entry.repeats)
        .sum();
    assert!(
        reads >= 19,
        "every spelling is the same path: {}",
        lines(&record)
    );
    assert!(
        entries
            .iter()
            .all(|entry| entry.denied_by.kind == DeniedByKind::NotGranted),
        "{}",
        lines(&record)
    );
    assert_eq!(
        entries.len(),
        record.denials().count(),
        "no other path: {}",
        lines(&record)
    );
}

/// The same for a hidden file in a granted tree.
#[test]
fn a_hidden_file_is_not_read_by_any_spelling() {
    let tree = Tree::new();
    let key = tree.file("inner/key", "s3cret");
    tree.file("inner/sibling", "plain");
    let link = tree.link("inner/key", "link");
    let script = spellings(&key, &link);
    let (control, _) = verdicts(&tree.open().build().unwrap(), tree.root(), &script);
    control
        .names()
        .filter(|name| *name != "openat2 no xdev")
        .for_each(|name| control.gives(name, &["ok"]));

    let policy = tree.open().hide("inner/key").build().unwrap();
    let (refused, record) = verdicts(&policy, tree.root(), &script);
    refused
        .names()
        .filter(|name| *name != "openat2 no xdev")
        .for_each(|name| refused.gives(name, &["EACCES"]));
    refused.gives("openat2 no xdev", &["EACCES", "EXDEV"]);
    let entries = denials_of(&record, &key);
    assert!(
        entries
            .iter()
            .any(|entry| entry.operation == Operation::FileReadData && entry.repeats >= 19),
        "{}",
        lines(&record)
    );
    assert!(
        entries
            .iter()
            .all(|entry| entry.denied_by.kind == DeniedByKind::Hidden),
        "{}",
        lines(&record)
    );
    assert!(
        entries
            .iter()
            .all(|entry| entry.denied_by.rule.as_deref() == Some("hide \"inner/key\"")),
        "{}",
        lines(&record)
    );
    let beside = shell(&policy, tree.root(), "cat inner/sibling");
    assert_eq!(beside.success(), "plain");
    assert!(beside.record.is_empty(), "{}", lines(&beside.record));
}

/// The same for a file beneath a hidden directory, of which look-ups are what is refused.
#[test]
fn what_lies_in_a_hidden_directory_is_not_read_by_any_spelling() {
    let tree = Tree::new();
    let key = tree.file("hidden/inner/key", "s3cret");
    let link = tree.link("hidden/inner/key", "link");
    let script = spellings(&key, &link);
    verdicts(&tree.open().build().unwrap(), tree.root(), &script)
        .0
        .gives("plain", &["ok"]);
    let policy = tree.open().hide("hidden").build().unwrap();
    let (refused, record) = verdicts(&policy, tree.root(), &script);
    refused
        .names()
        .filter(|name| *name != "openat2 no xdev")
        .for_each(|name| refused.gives(name, &["EACCES"]));
    assert!(record.denials().count() > 0);
    for entry in record.denials() {
        assert_eq!(
            (entry.operation, entry.denied_by.kind),
            (Operation::FileLookup, DeniedByKind::Hidden),
            "{entry}"
        );
        assert!(
            entry
                .target
                .bytes()
                .starts_with(tree.path("hidden/inner").as_os_str().as_encoded_bytes()),
            "{entry}"
        );
        assert_eq!(entry.exists, Some(true), "{entry}");
    }
}

/// ENF-39: by handle, by execution and by mapping.
#[test]
fn a_hidden_file_is_not_reached_without_opening_it() {
    let tree = Tree::new();
    let key = tree.program("hidden/tool", "#!/bin/sh\nexit 0\n");
    tree.program("single", "#!/bin/sh\nexit 0\n");
    let script = format!(
        r#"
target, single = {key:?}, {single:?}
def handle(path, open_it):
    buffer, mount = ctypes.create_string_buffer(struct.pack('Ii', 128, 0) + bytes(128)), ctypes.c_int()
    call(SYS_name_to_handle_at, -100, path.encode(), buffer, ctypes.byref(mount), 0)
    if open_it:
        os.close(call(SYS_open_by_handle_at, os.open('.', os.O_RDONLY), buffer, os.O_RDONLY))
attempt('handle by name', handle, target, False)
def executed(path, how):
    pid = os.fork()
    if pid == 0:
        try: how(path)
        except OSError as error: os._exit(error.errno)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code: raise OSError(code, '')
for name, path in (('tool', target), ('single', single)):
    attempt('execute ' + name, executed, path, lambda path: os.execv(path, [path]))
    attempt('interpret ' + name, executed, path, lambda path: os.execv('/bin/sh', ['sh', path]) if os.access('/bin/sh', os.X_OK) and (read(path) or True) else None)
attempt('listed', os.listdir, os.path.dirname(target))
attempt('link target', os.stat, target)
attempt('extended attributes', os.listxattr, target)
"#,
        single = tree.path("single"),
    );
    verdicts(&tree.open().build().unwrap(), tree.root(), &script)
        .0
        .all_succeed();
    let policy = tree.open().hide("hidden").hide("single").build().unwrap();
    let (refused, _) = verdicts(&policy, tree.root(), &script);
    refused
        .names()
        .filter(|name| *name != "handle by name")
        .for_each(|name| refused.gives(name, &["EACCES"]));
    refused.gives("handle by name", &["EACCES", "EOPNOTSUPP"]);
}

/// ENF-39: an open by handle goes around names, so it is refused even where names allow it.
#[test]
fn nothing_is_opened_by_handle() {
    let tree = Tree::new();
    let file = tree.file("file", "plain");
    let script = format!(
        r#"
def by_handle():
    buffer, mount = ctypes.create_string_buffer(struct.pack('Ii', 128, 0) + bytes(128)), ctypes.c_int()
    call(SYS_name_to_handle_at, -100, {file:?}.encode(), buffer, ctypes.byref(mount), 0)
    os.close(call(SYS_open_by_handle_at, os.open('.', os.O_RDONLY), buffer, os.O_RDONLY))
attempt('by handle', by_handle)
"#
    );
    let (refused, record) = verdicts(&tree.open().build().unwrap(), tree.root(), &script);
    refused.all_give(&["EPERM"]);
    let entry = record.denials().next().unwrap();
    assert_eq!(
        (entry.class, entry.denied_by.class.as_deref()),
        (Class::SystemCall, Some("file-handles")),
        "{entry}"
    );
}

/// ENF-60: beneath a hidden directory a name that exists and one that does not look the same.
#[test]
fn a_hidden_directory_does_not_tell_its_names() {
    let tree = Tree::new();
    tree.file("hidden/there", "s3cret");
    tree.link("there", "hidden/link");
    let script = r#"
for name in ('there', 'missing', 'link'):
    path = 'hidden/' + name
    attempt('stat ' + name, os.stat, path)
    attempt('lstat ' + name, os.lstat, path)
    attempt('open ' + name, read, path)
    attempt('path ' + name, os.open, path, os.O_PATH)
    attempt('readlink ' + name, os.readlink, path)
    attempt('make ' + name, os.open, path, os.O_CREAT | os.O_WRONLY)
    attempt('mkdir ' + name, os.mkdir, path)
    attempt('unlink ' + name, os.unlink, path)
    attempt('watch ' + name, lambda: checked(libc.inotify_add_watch(libc.inotify_init(), path.encode(), 2)))
attempt('list', os.listdir, 'hidden')
"#;
    let policy = tree.open().hide("hidden").build().unwrap();
    let (refused, record) = verdicts(&policy, tree.root(), script);
    refused.all_give(&["EACCES"]);
    assert_eq!(tree.read("hidden/there"), "s3cret");
    let known = |name: &str| {
        denials_of(&record, tree.path(name))
            .iter()
            .map(|entry| entry.exists)
            .collect::<Vec<_>>()
    };
    assert!(
        known("hidden/there").contains(&Some(true)),
        "{}",
        lines(&record)
    );
    assert!(
        known("hidden/missing").contains(&Some(false)),
        "{}",
        lines(&record)
    );
}

/// OBS-23: a name that the host does not have either is no denial.
#[test]
fn a_missing_name_is_missing() {
    let (tree, outside) = (Tree::new(), Tree::new());
    let policy = tree.open().build().unwrap();
    let missing = outside.path("missing");
    let outcome = shell(
        &policy,
        tree.root(),
        &format!("cat missing; cat {}", missing.display()),
    );
    assert_eq!(
        outcome.err.matches("No such file").count(),
        2,
        "{}",
        outcome.err
    );
    assert_eq!(
        outcome.record.denials().count(),
        0,
        "{}",
        lines(&outcome.record)
    );
}

/// ENF-43: a process that lets nobody look at it.
#[test]
fn an_unreadable_process_is_confined_and_named_all_the_same() {
    let tree = Tree::new();
    let key = tree.file("hidden/key", "s3cret");
    let file = tree.file("file", "plain");
    let script = format!(
        "libc.prctl(4, 0, 0, 0, 0)\nattempt('granted', read, {file:?})\nattempt('hidden', read, {key:?})\n"
    );
    let (verdicts, record) = verdicts(
        &tree.open().hide("hidden").build().unwrap(),
        tree.root(),
        &script,
    );
    verdicts.gives("granted", &["ok"]);
    verdicts.gives("hidden", &["EACCES"]);
    let entries = denials_of(&record, &key);
    assert_eq!(entries.len(), 1, "{}", lines(&record));
    assert_eq!(entries[0].process.name(), b"python3", "{}", entries[0]);
}

/// OBS-24: a hidden file is refused, not emptied.
#[test]
fn a_hidden_file_is_not_an_empty_one() {
    let tree = Tree::new();
    tree.file(".env", "A=1");
    let policy = tree.open().hide(".env").build().unwrap();
    let outcome = shell(&policy, tree.root(), "cat .env; echo $?; stat -c %F .env");
    assert!(
        ["1\nregular file\n", "1\nregular empty file\n"].contains(&outcome.out.as_str()),
        "{}{}",
        outcome.out,
        outcome.err
    );
    let outcome = run(
        &policy,
        crate::common::command("/bin/grep", tree.root()).args(["A", ".env"]),
    );
    assert_eq!(outcome.code(), 2);
}
