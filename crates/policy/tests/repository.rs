//! Finding the enclosing git repository, and not believing what a confined program could have written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use whybox_policy::Context;

/// What is found from a directory.
fn found(cwd: &Path, home: &Path) -> (Option<PathBuf>, Option<PathBuf>) {
    let ctx = Context::new(cwd)
        .with_home(home)
        .with_enclosing_repository();
    (
        ctx.repository().map(Path::to_owned),
        ctx.repository_common().map(Path::to_owned),
    )
}

fn git_dir(dir: &Path) {
    fs::create_dir_all(dir.join("objects")).unwrap();
    fs::create_dir_all(dir.join("refs")).unwrap();
    fs::write(dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
}

/// A temporary directory by its real name.
fn temp() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(dir.path()).unwrap();
    (dir, path)
}

#[test]
fn a_repository_is_found_from_below() {
    let (_keep, dir) = temp();
    git_dir(&dir.join("repo/.git"));
    fs::create_dir_all(dir.join("repo/a/b")).unwrap();
    let expected = (Some(dir.join("repo")), Some(dir.join("repo/.git")));
    for from in ["repo", "repo/a/b"] {
        assert_eq!(found(&dir.join(from), Path::new("/nowhere")), expected);
    }
    assert_eq!(found(&dir, Path::new("/nowhere")), (None, None));
}

#[test]
fn a_home_directory_under_version_control_is_not_taken() {
    let (_keep, dir) = temp();
    git_dir(&dir.join("home/.git"));
    fs::create_dir_all(dir.join("home/work")).unwrap();
    assert_eq!(
        found(&dir.join("home/work"), &dir.join("home")),
        (None, None)
    );
    assert_eq!(
        found(&dir.join("home/work"), &dir.join("home/u")),
        (None, None)
    );
    assert!(
        found(&dir.join("home/work"), &dir.join("other"))
            .0
            .is_some(),
        "the control"
    );
}

#[test]
fn a_linked_working_tree_made_by_git_is_found() {
    let (_keep, dir) = temp();
    let git = |cwd: &str, args: &[&str]| {
        let identity = ["-c", "user.name=n", "-c", "user.email=e@x"];
        let done = Command::new("git")
            .args(identity)
            .args(args)
            .current_dir(dir.join(cwd))
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    fs::create_dir(dir.join("main")).unwrap();
    git("main", &["init", "-q"]);
    git("main", &["commit", "-q", "--allow-empty", "-m", "m"]);
    git("main", &["worktree", "add", "-q", "../linked"]);
    let expected = (Some(dir.join("linked")), Some(dir.join("main/.git")));
    assert_eq!(found(&dir.join("linked"), Path::new("/nowhere")), expected);

    git(
        "main",
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            "../main",
            "sub",
        ],
    );
    let expected = (
        Some(dir.join("main/sub")),
        Some(dir.join("main/.git/modules/sub")),
    );
    assert_eq!(
        found(&dir.join("main/sub"), Path::new("/nowhere")),
        expected
    );
}

#[test]
fn a_git_file_is_believed_only_where_its_target_points_back() {
    let (_keep, dir) = temp();
    git_dir(&dir.join("private/.git"));
    fs::create_dir_all(dir.join("private/.git/worktrees/w")).unwrap();
    fs::create_dir_all(dir.join("work")).unwrap();
    fs::create_dir_all(dir.join("keys")).unwrap();
    let point = |text: String| fs::write(dir.join("work/.git"), text).unwrap();
    let back = |to: &str| {
        fs::write(
            dir.join("private/.git/worktrees/w/gitdir"),
            format!("{}\n", dir.join(to).display()),
        )
        .unwrap();
    };
    let nothing = (None, None);

    point(format!("gitdir: {}\n", dir.join("keys").display()));
    assert_eq!(
        found(&dir.join("work"), Path::new("/nowhere")),
        nothing,
        "not a git directory"
    );
    point(format!("gitdir: {}\n", dir.join("private/.git").display()));
    assert_eq!(
        found(&dir.join("work"), Path::new("/nowhere")),
        nothing,
        "another repository"
    );
    point(format!(
        "gitdir: {}\n",
        dir.join("private/.git/worktrees/w").display()
    ));
    fs::write(dir.join("private/.git/worktrees/w/commondir"), "../..\n").unwrap();
    back("elsewhere/.git");
    assert_eq!(
        found(&dir.join("work"), Path::new("/nowhere")),
        nothing,
        "another working tree"
    );
    back("work/.git");
    let expected = (Some(dir.join("work")), Some(dir.join("private/.git")));
    assert_eq!(
        found(&dir.join("work"), Path::new("/nowhere")),
        expected,
        "the control"
    );

    fs::remove_file(dir.join("work/.git")).unwrap();
    std::os::unix::fs::symlink(dir.join("private/.git"), dir.join("work/.git")).unwrap();
    assert_eq!(
        found(&dir.join("work"), Path::new("/nowhere")),
        nothing,
        "a symlink"
    );
}
