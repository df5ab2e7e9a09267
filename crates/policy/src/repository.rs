//! Finding the git repository around a directory.
//!
//! What is found becomes readable, and `.git` files are written by whoever may write the tree. So a `.git` file is
//! believed only where the directory that it points to points back, as git itself arranges for linked working trees
//! and submodules.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A working tree and its git directory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The root of the working tree.
    pub(crate) root: PathBuf,
    /// The git directory that all working trees share.
    pub(crate) common: PathBuf,
}

/// The repository that encloses `cwd`, unless its root is `home` or above it: a home directory under version control
/// must not become readable as a whole.
pub(crate) fn find(cwd: &Path, home: Option<&Path>) -> Option<Repository> {
    let root = cwd
        .ancestors()
        .find(|dir| dir.join(".git").symlink_metadata().is_ok())?;
    if root == Path::new("/") || home.is_some_and(|home| home.starts_with(root)) {
        return None;
    }
    let dot_git = root.join(".git");
    let kind = dot_git.symlink_metadata().ok()?;
    if !is_trusted(kind.uid()) {
        return None;
    }
    let common = if kind.is_dir() && is_git_directory(&dot_git) {
        dot_git
    } else if kind.is_file() {
        linked(root, &dot_git)?
    } else {
        return None;
    };
    Some(Repository {
        root: root.to_owned(),
        common,
    })
}

/// Whether a repository of this owner is taken for the user's own: somebody else's `/tmp/.git` is not.
fn is_trusted(owner: u32) -> bool {
    let own = fs::metadata("/proc/self").map(|own| own.uid());
    owner == 0 || own.is_ok_and(|own| own == 0 || own == owner)
}

fn is_git_directory(dir: &Path) -> bool {
    dir.join("HEAD").exists() && dir.join("objects").is_dir() && dir.join("refs").is_dir()
}

/// The common directory behind a `.git` file.
fn linked(root: &Path, dot_git: &Path) -> Option<PathBuf> {
    let text = first_line(dot_git)?;
    let git_dir = fs::canonicalize(root.join(text.strip_prefix("gitdir:")?.trim())).ok()?;
    match first_line(&git_dir.join("commondir")) {
        // A linked working tree: `.git/worktrees/NAME` names its `.git` file.
        Some(common) => {
            let common = fs::canonicalize(git_dir.join(common.trim())).ok()?;
            let back = first_line(&git_dir.join("gitdir"))?;
            let same = same_file(&git_dir.join(back.trim()), dot_git);
            (same && git_dir.starts_with(&common) && is_git_directory(&common)).then_some(common)
        }
        // A submodule: the configuration in `.git/modules/NAME` names its working tree.
        None => {
            let config = read(&git_dir.join("config"))?;
            let tree = config.lines().find_map(|line| {
                line.trim()
                    .strip_prefix("worktree")?
                    .trim()
                    .strip_prefix('=')
            })?;
            (same_file(&git_dir.join(tree.trim()), root) && is_git_directory(&git_dir))
                .then_some(git_dir)
        }
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

fn first_line(path: &Path) -> Option<String> {
    read(path)?.lines().next().map(str::to_owned)
}

/// A small regular file; anything else is no file of git's.
fn read(path: &Path) -> Option<String> {
    let kind = fs::symlink_metadata(path).ok()?;
    (kind.is_file() && kind.len() <= 1 << 16).then(|| fs::read_to_string(path).ok())?
}
