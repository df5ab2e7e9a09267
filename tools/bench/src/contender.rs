//! What the work runs in.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bed::Bed;

/// The search path of all that is measured.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The directories of the system that are symlinks into `/usr` on merged systems.
const MERGED: [&str; 5] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64"];

/// One way to run a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// As it is.
    Unconfined,
    /// `whybox run`: the default preset, reporting on.
    Whybox,
    /// `bwrap --unshare-all` with what a command needs.
    Bubblewrap,
}

/// All of them, in the order of the table.
pub(crate) const ALL: [Contender; 3] = [
    Contender::Unconfined,
    Contender::Whybox,
    Contender::Bubblewrap,
];

impl Contender {
    /// Whether it can run here.
    pub(crate) fn is_here(self) -> bool {
        self != Contender::Bubblewrap || Path::new("/usr/bin/bwrap").exists()
    }

    /// The command line that runs `words`.
    pub(crate) fn line(self, bed: &Bed, words: &[OsString]) -> Vec<OsString> {
        let mut line: Vec<OsString> = match self {
            Contender::Unconfined => Vec::new(),
            Contender::Whybox => vec![
                bed.whybox().into(),
                "run".into(),
                "--no-summary".into(),
                "--".into(),
            ],
            Contender::Bubblewrap => bubblewrap(bed.work()),
        };
        line.extend(words.iter().cloned());
        line
    }

    /// The command that runs `words`, in the bed's working directory and with its home.
    pub(crate) fn command(self, bed: &Bed, words: &[OsString]) -> Command {
        let line = self.line(bed, words);
        let (program, arguments) = line
            .split_first()
            .map_or((OsString::new(), &[][..]), |(a, b)| (a.clone(), b));
        let mut command = Command::new(program);
        command.args(arguments).current_dir(bed.work());
        command
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", bed.home())
            .env("LC_ALL", "C");
        command
    }
}

fn bubblewrap(work: PathBuf) -> Vec<OsString> {
    let mut line: Vec<OsString> = [
        "/usr/bin/bwrap",
        "--unshare-all",
        "--ro-bind",
        "/usr",
        "/usr",
    ]
    .map(Into::into)
    .into();
    for path in MERGED {
        if let Ok(target) = fs::read_link(path) {
            line.extend(["--symlink".into(), target.into(), path.into()]);
        } else if Path::new(path).exists() {
            line.extend(["--ro-bind", path, path].map(Into::into));
        }
    }
    line.extend(["--ro-bind", "/etc", "/etc", "--bind"].map(Into::into));
    line.extend([work.clone().into(), work.clone().into()]);
    line.extend(
        [
            "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--chdir",
        ]
        .map(Into::into),
    );
    line.extend([work.into(), "--".into()]);
    line
}
