//! A tree of files on the host, and policies about it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use whybox::policy::PolicyBuilder;
use whybox::{Context, Policy};

/// A directory of the host, removed at the end. Not beneath `/tmp`, of which a cage has its own.
pub(crate) struct Tree {
    directory: tempfile::TempDir,
}

impl Tree {
    pub(crate) fn new() -> Tree {
        let directory = tempfile::Builder::new()
            .prefix("whybox-test-")
            .tempdir_in("/var/tmp")
            .unwrap();
        Tree { directory }
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.root().join(Path::new(&name))
    }

    /// Makes a directory, with those above it.
    pub(crate) fn directory(&self, name: impl AsRef<OsStr>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Makes a file, with the directories above it.
    pub(crate) fn file(&self, name: impl AsRef<OsStr>, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Makes a program.
    pub(crate) fn program(&self, name: &str, content: &str) -> PathBuf {
        let path = self.file(name, content);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, name: &str) -> PathBuf {
        let path = self.path(name);
        symlink(target, &path).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The system and nothing of this tree, to be built on. Relative paths of rules start at the tree.
    pub(crate) fn system(&self) -> PolicyBuilder {
        system(self.root())
    }

    /// The system, and this tree to be written and executed.
    pub(crate) fn open(&self) -> PolicyBuilder {
        self.system().write(self.root()).exec(self.root())
    }
}

/// The system's programs and configuration.
pub(crate) fn system(cwd: &Path) -> PolicyBuilder {
    let context = Context::new(cwd);
    ["/usr", "/bin", "/sbin", "/lib", "/lib64"]
        .iter()
        .fold(Policy::builder(&context), |policy, path| policy.exec(path))
        .read("/etc")
}
