//! Ways out of and into what is hidden: links, renames, removal.

use crate::common::{Tree, verdicts_of};

const REFUSED: &[&str] = &["EACCES", "EBUSY", "EXDEV", "EPERM", "EROFS"];

fn fresh(tree: &Tree) {
    for name in ["hidden", "moved", "visible", "other"] {
        let _ = std::fs::remove_dir_all(tree.path(name));
    }
    for name in ["link", "out", "single", "moved", "by descriptor", "symlink"] {
        let _ = std::fs::remove_file(tree.path(name));
    }
    tree.file("hidden/key", "s3cret");
    tree.directory("other");
    tree.file("single", "s3cret");
    tree.file("plain", "plain");
}

#[track_caller]
fn attack(script: &str, controls_succeed: bool) {
    let tree = Tree::new();
    if controls_succeed {
        let (control, _) = verdicts_of(&tree.open().build().unwrap(), tree.root(), script, || {
            fresh(&tree)
        });
        control.all_succeed();
    }
    let policy = tree.open().hide("hidden").hide("single").build().unwrap();
    let (refused, _) = verdicts_of(&policy, tree.root(), script, || fresh(&tree));
    refused.all_give(REFUSED);
    assert_eq!(tree.read("hidden/key"), "s3cret");
    assert_eq!(tree.read("single"), "s3cret");
}

/// ENF-56.
#[test]
fn a_hidden_file_gets_no_second_name() {
    attack("attempt('link', os.link, 'hidden/key', 'link')", true);
    attack(
        "attempt('link of a single file', os.link, 'single', 'link')",
        true,
    );
    attack(
        "fd = None\ndef by_descriptor():\n    fd = os.open('single', os.O_PATH)\n    \
         call(SYS_linkat, -100, f'/proc/self/fd/{fd}'.encode(), -100, b'by descriptor', 0x400)\nattempt('by descriptor', by_descriptor)",
        true,
    );
}

/// ENF-56.
#[test]
fn what_is_hidden_is_not_moved() {
    attack("attempt('out', os.rename, 'hidden/key', 'out')", true);
    attack(
        "attempt('the directory', os.rename, 'hidden', 'visible')",
        true,
    );
    attack("attempt('the file', os.rename, 'single', 'moved')", true);
    attack(
        "attempt('exchange', lambda: call(SYS_renameat2, -100, b'other', -100, b'hidden', 2))",
        true,
    );
    attack(
        "attempt('exchange of a file', lambda: call(SYS_renameat2, -100, b'plain', -100, b'single', 2))",
        true,
    );
}

/// ENF-59: its content.
#[test]
fn what_is_hidden_is_not_changed() {
    attack("attempt('truncate', os.truncate, 'hidden/key', 0)", true);
    attack("attempt('truncate a file', os.truncate, 'single', 0)", true);
    attack(
        "attempt('open to truncate', write, 'single', os.O_WRONLY | os.O_TRUNC)",
        true,
    );
    attack(
        "attempt('append', write, 'single', os.O_WRONLY | os.O_APPEND)",
        true,
    );
}

/// ENF-59: its name.
#[test]
fn what_is_hidden_is_not_removed_or_replaced() {
    attack("attempt('unlink', os.unlink, 'hidden/key')", true);
    attack("attempt('unlink a file', os.unlink, 'single')", true);
    attack(
        "os.path\nimport shutil\nattempt('tree', shutil.rmtree, 'hidden')",
        true,
    );
    attack("attempt('rename over', os.rename, 'plain', 'single')", true);
    attack(
        "attempt('rename in', os.rename, 'plain', 'hidden/key')",
        true,
    );
    attack(
        "attempt('make', write, 'hidden/new', os.O_WRONLY | os.O_CREAT)",
        true,
    );
}

/// H4: what is known about it.
#[test]
fn metadata_of_what_is_hidden_is_not_changed() {
    attack("attempt('mode', os.chmod, 'single', 0o600)", true);
    attack("attempt('times', os.utime, 'single', (0, 0))", true);
    attack(
        "attempt('mode by descriptor', lambda: call(SYS_fchmodat2, os.open('single', os.O_PATH), b'', 0o600, 0x1000))",
        false,
    );
}
