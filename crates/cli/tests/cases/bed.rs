//! Where a case takes place: a directory with something to work in, something to read and something to keep secret.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::sbx::Sbx;

/// `w` is worked in, `ro/f` is data, `hid/key` is a secret, `h` is the home. Scripts know the directory as `$T`.
pub(crate) struct Bed {
    directory: TempDir,
}

impl Bed {
    /// Beneath `/var/tmp`, which the cage shares with the host.
    pub(crate) fn new() -> Bed {
        Bed::beneath("/var/tmp")
    }

    /// Beneath `/tmp`, where the cage has a directory of its own and grants are shown in it.
    pub(crate) fn in_tmp() -> Bed {
        Bed::beneath("/tmp")
    }

    fn beneath(parent: &str) -> Bed {
        let directory = tempfile::Builder::new()
            .prefix("whybox-case-")
            .tempdir_in(parent)
            .unwrap();
        let bed = Bed { directory };
        for name in ["w", "ro", "hid", "h"] {
            fs::create_dir(bed.path(name)).unwrap();
        }
        bed.write("hid/key", "s3cret\n");
        bed.write("ro/f", "data\n");
        bed
    }

    /// A path in it; the directory itself for "".
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() {
            self.directory.path().to_owned()
        } else {
            self.directory.path().join(name)
        }
    }

    /// The directory as text.
    pub(crate) fn text(&self) -> String {
        self.path("").into_os_string().into_string().unwrap()
    }

    /// `$T` in a text stands for the directory; `$TMPDIR` is another variable.
    pub(crate) fn fill(&self, text: &str) -> String {
        let mut parts = text.split("$T");
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let ends = !part.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            filled.push_str(&if ends { self.text() } else { "$T".to_owned() });
            filled.push_str(part);
        }
        filled
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Makes a directory with its parents.
    pub(crate) fn dir(&self, name: &str) {
        fs::create_dir_all(self.path(name)).unwrap();
    }

    /// Makes a symbolic link; `$T` in `to` is filled in.
    pub(crate) fn link(&self, to: &str, name: &str) {
        std::os::unix::fs::symlink(self.fill(to), self.path(name)).unwrap();
    }

    /// Sets the mode of a file.
    pub(crate) fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The program with the grants that every case has: the system readable and executable.
    pub(crate) fn sbx(&self) -> Sbx<'_> {
        Sbx::new(self)
    }

    /// The program with a preset and nothing more.
    pub(crate) fn sbx_of(&self, preset: &str) -> Sbx<'_> {
        Sbx::of(self, ["--preset", preset].map(OsStr::new))
    }

    /// The program with no grant at all.
    pub(crate) fn bare(&self) -> Sbx<'_> {
        self.sbx_of("none")
    }

    /// The program with a policy file and nothing more.
    pub(crate) fn with_policy(&self, file: &Path) -> Sbx<'_> {
        Sbx::of(self, [OsStr::new("--policy"), file.as_os_str()])
    }
}

/// Whether the machine has these programs where the system keeps its own; says so when not.
pub(crate) fn have(programs: &[&str]) -> bool {
    let missing: Vec<&&str> = programs
        .iter()
        .filter(|name| system(name).is_none())
        .collect();
    if !missing.is_empty() {
        skip(&format!("this machine lacks {missing:?}"));
    }
    missing.is_empty()
}

/// Tells why a test shows nothing here, past the harness that keeps the output of tests that pass.
pub(crate) fn skip(reason: &str) {
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    let _ = writeln!(std::io::stderr(), "{name}: skipped: {reason}");
}

fn system(program: &str) -> Option<PathBuf> {
    ["/usr/bin", "/usr/sbin", "/bin", "/sbin"]
        .iter()
        .map(|directory| Path::new(directory).join(program))
        .find(|path| path.exists())
}
