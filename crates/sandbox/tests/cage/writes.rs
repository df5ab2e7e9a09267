//! Writing outside the write grants (the kernel's part of S5).

use std::os::unix::fs::MetadataExt;

use crate::common::{Tree, is_root, shell, verdicts, verdicts_of};

const REFUSED: &[&str] = &["EACCES", "EROFS", "EPERM", "EXDEV", "EBUSY"];

/// Every way to change a file or its directory (H4, OBS-08).
const CHANGES: &str = r#"
at = lambda name: os.path.join(PLACE, name)
attempt('write', write, at('file'))
attempt('append', write, at('file'), os.O_WRONLY | os.O_APPEND)
attempt('truncate at open', write, at('file'), os.O_WRONLY | os.O_TRUNC)
attempt('truncate', os.truncate, at('file'), 0)
attempt('make', write, at('new'), os.O_WRONLY | os.O_CREAT)
attempt('make without a name', lambda: os.close(os.open(at(''), os.O_TMPFILE | os.O_RDWR)))
attempt('mkdir', os.mkdir, at('directory'))
attempt('mkfifo', os.mkfifo, at('fifo'))
attempt('symlink', os.symlink, at('file'), at('symlink'))
attempt('link', os.link, at('file'), at('link'))
attempt('bind', lambda: socket.socket(socket.AF_UNIX).bind(at('socket')))
attempt('rename', os.rename, at('file2'), at('file3'))
attempt('mode', os.chmod, at('file'), 0o600)
attempt('times', os.utime, at('file'), (1, 1))
attempt('owner', os.chown, at('file'), os.getuid(), os.getgid())
attempt('attribute', os.setxattr, at('file'), 'user.whybox', b'x')
attempt('mode by descriptor', lambda: os.fchmod(os.open(at('file'), os.O_RDONLY), 0o600))
attempt('times by descriptor', lambda: os.utime(os.open(at('file'), os.O_RDONLY), (1, 1)))
attempt('by proc', lambda: write(f"/proc/self/fd/{os.open(at('file'), os.O_RDONLY)}"))
attempt('by root', lambda: write('/proc/self/root' + at('file')))
attempt('allocate', lambda: os.posix_fallocate(os.open(at('file'), os.O_WRONLY), 0, 10))
attempt('unlink', os.unlink, at('file4'))
attempt('rmdir', os.rmdir, at('empty'))
"#;

fn fresh(place: &Tree) {
    for entry in std::fs::read_dir(place.root()).unwrap() {
        let path = entry.unwrap().path();
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
    }
    for name in ["file", "file2", "file4"] {
        place.file(name, "plain");
    }
    place.directory("empty");
}

fn at(place: &Tree) -> String {
    CHANGES.replace("PLACE", &format!("{:?}", place.root()))
}

#[test]
fn a_tree_granted_for_writing_can_be_changed() {
    let place = Tree::new();
    let policy = place.system().write(place.root()).build().unwrap();
    let (verdicts, record) = verdicts_of(&policy, place.root(), &at(&place), || fresh(&place));
    verdicts.all_succeed();
    assert!(record.is_empty());
}

#[test]
fn a_tree_granted_for_reading_cannot_be_changed() {
    let (tree, place) = (Tree::new(), Tree::new());
    let policy = tree.open().read(place.root()).build().unwrap();
    let (verdicts, _) = verdicts_of(&policy, tree.root(), &at(&place), || fresh(&place));
    verdicts.all_give(REFUSED);
    unchanged(&place);
}

#[test]
fn a_protected_tree_within_a_writable_one_cannot_be_changed() {
    let place = Tree::new();
    let tree = Tree::new();
    let policy = tree
        .open()
        .write("/var/tmp")
        .protect(place.root())
        .build()
        .unwrap();
    let (verdicts, _) = verdicts_of(&policy, tree.root(), &at(&place), || fresh(&place));
    verdicts.all_give(REFUSED);
    unchanged(&place);
}

#[test]
fn a_tree_that_is_not_granted_cannot_be_changed() {
    let (tree, place) = (Tree::new(), Tree::new());
    let (verdicts, record) = verdicts_of(
        &tree.open().build().unwrap(),
        tree.root(),
        &at(&place),
        || fresh(&place),
    );
    verdicts.all_give(REFUSED);
    // What Landlock refuses before the ghost is asked is not named yet; the rest is.
    assert!(
        crate::common::denials_of(&record, place.path("file")).len() >= 5,
        "{}",
        crate::common::lines(&record)
    );
    unchanged(&place);
}

#[track_caller]
fn unchanged(place: &Tree) {
    let mut names: Vec<_> = std::fs::read_dir(place.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["empty", "file", "file2", "file4"]);
    assert_eq!(place.read("file"), "plain");
    let meta = std::fs::metadata(place.path("file")).unwrap();
    assert!(meta.mtime() > 1 && meta.mode() & 0o777 != 0o600);
}

/// The system stays as it is, for root too, of whom ordinary permissions would let pass everything.
#[test]
fn the_system_and_the_home_cannot_be_changed() {
    let tree = Tree::new();
    let home = std::env::var("HOME").unwrap_or_else(|_| "/".to_owned());
    let script = format!(
        "for place in ('/', '/usr', '/usr/bin', '/etc', '/var', '/dev', {home:?}, '/home', '/root', '/work', '/sys'):\n    \
         attempt('make in ' + place, write, place + '/whybox-test-new', os.O_WRONLY | os.O_CREAT)\n    \
         attempt('mkdir in ' + place, os.mkdir, place + '/whybox-test-directory')\n\
         attempt('passwd', write, '/etc/passwd', os.O_WRONLY | os.O_APPEND)\n\
         attempt('env', os.chmod, '/usr/bin/env', 0o755)\n\
         attempt('touch', os.utime, '/usr/bin/env')\n"
    );
    let (verdicts, _) = verdicts(&tree.open().build().unwrap(), tree.root(), &script);
    verdicts.all_give(&["EACCES", "EROFS", "EPERM", "ENOENT"]);
    for place in ["/", "/usr", "/etc", &home] {
        assert!(!std::path::Path::new(place).join("whybox-test-new").exists());
    }
}

/// ENF-24: the target of a symlink decides, not the link.
#[test]
fn a_symlink_is_no_way_to_write() {
    let (tree, place) = (Tree::new(), Tree::new());
    let file = place.file("file", "data");
    let script = format!(
        "ln -s {} link; echo x >link; echo y >>link; truncate -s0 link; cat link",
        file.display()
    );
    let outcome = shell(
        &tree.open().read(place.root()).build().unwrap(),
        tree.root(),
        &script,
    );
    assert_eq!(
        (outcome.code(), outcome.out.as_str()),
        (0, "data"),
        "{}",
        outcome.err
    );
    assert_eq!(place.read("file"), "data");
    shell(
        &tree.open().write(place.root()).build().unwrap(),
        tree.root(),
        "echo x >link",
    )
    .success();
    assert_eq!(place.read("file"), "x\n", "control");
}

/// ENF-55: a hard link to a file of a tree with fewer rights.
#[test]
fn a_hard_link_gives_no_more_rights() {
    let tree = Tree::new();
    let file = tree.file("read only/file", "data");
    tree.file("writable/own", "own");
    let policy = tree
        .system()
        .read("read only")
        .write("writable")
        .build()
        .unwrap();
    let writable = tree.path("writable");
    let outcome = shell(
        &policy,
        &writable,
        &format!(
            "ln '{}' alias && echo x >alias; ln own second && echo ok",
            file.display()
        ),
    );
    assert_eq!(outcome.success(), "ok");
    assert_eq!(tree.read("read only/file"), "data");
}

/// ENF-28, ENF-46: within one writable tree names move and link between directories, and not out of it.
#[test]
fn files_move_between_directories_of_one_tree() {
    let (tree, other) = (Tree::new(), Tree::new());
    for name in ["a", "b", "c"] {
        tree.file(name, name);
    }
    tree.directory("sub/deeper");
    let policy = tree.open().write(other.root()).build().unwrap();
    let script = format!(
        "attempt('rename', os.rename, 'a', 'sub/a')\nattempt('link', os.link, 'b', 'sub/deeper/b')\n\
         attempt('directory', os.rename, 'sub/deeper', 'deeper')\n\
         attempt('across', os.rename, 'c', {:?})\n",
        other.path("c")
    );
    let outcome = crate::common::run(&policy, &mut crate::common::python(tree.root(), &script));
    let verdicts = crate::common::Verdicts::parse(outcome.success());
    for name in ["rename", "link", "directory"] {
        verdicts.gives(name, &["ok"]);
    }
    verdicts.gives("across", &["ok", "EXDEV"]);
}

/// H6: a run leaves no file that gives its user's rights to whoever executes it.
#[test]
fn no_devices_are_made() {
    let tree = Tree::new();
    let script = "import stat\nattempt('null', os.mknod, 'null', stat.S_IFCHR | 0o666, os.makedev(1, 3))\n\
                  attempt('disk', os.mknod, 'disk', stat.S_IFBLK | 0o666, os.makedev(8, 0))\n\
                  attempt('pipe', os.mknod, 'pipe', stat.S_IFIFO | 0o666)\n";
    let (verdicts, _) = verdicts_of(&tree.open().build().unwrap(), tree.root(), script, || {
        let _ = std::fs::remove_file(tree.path("pipe"));
    });
    verdicts.gives("null", &["EPERM", "EACCES"]);
    verdicts.gives("disk", &["EPERM", "EACCES"]);
    verdicts.gives("pipe", &["ok"]);
    if is_root() {
        assert!(!tree.path("disk").exists());
    }
}
