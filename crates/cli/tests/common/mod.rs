//! What the tests share: a directory to play in, and the real program.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub(crate) mod pty;

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The program under test.
pub(crate) const WHYBOX: &str = env!("CARGO_BIN_EXE_whybox");

/// A project directory, with a secret in it, and a directory beside it that nothing grants.
pub(crate) struct Scene {
    directory: TempDir,
}

impl Scene {
    /// Made where the cage has no directory of its own, as it has beneath `/tmp`.
    pub(crate) fn new() -> Scene {
        let directory = tempfile::Builder::new()
            .prefix("whybox-")
            .tempdir_in("/var/tmp")
            .unwrap();
        let scene = Scene { directory };
        fs::create_dir(scene.project()).unwrap();
        fs::create_dir(scene.outside("")).unwrap();
        fs::write(scene.path(".env"), "SECRET=1\n").unwrap();
        fs::write(scene.path("main.c"), "int main;\n").unwrap();
        fs::write(scene.outside("key"), "secret\n").unwrap();
        scene
    }

    /// The working directory of runs.
    pub(crate) fn project(&self) -> PathBuf {
        self.directory
            .path()
            .canonicalize()
            .unwrap()
            .join("project")
    }

    /// A path in the project.
    pub(crate) fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.project().join(Path::new(name.as_ref()))
    }

    /// A path that no preset grants.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.directory
            .path()
            .canonicalize()
            .unwrap()
            .join("outside")
            .join(name)
    }

    /// `whybox` with arguments, in the project.
    pub(crate) fn whybox<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> assert_cmd::Command {
        assert_cmd::Command::from_std(self.plain(arguments))
    }

    /// `whybox run` with arguments, in the project.
    pub(crate) fn run<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> assert_cmd::Command {
        let mut command = self.plain(["run"]);
        command.args(arguments);
        assert_cmd::Command::from_std(command)
    }

    /// The same for who needs the process while it runs.
    pub(crate) fn plain<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(WHYBOX);
        command.args(arguments).current_dir(self.project());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    /// A report that a run has written.
    pub(crate) fn report(&self, name: &str) -> serde_json::Value {
        let text = fs::read_to_string(self.path(name)).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"))
    }
}

/// The targets of a report's entries.
pub(crate) fn targets(report: &serde_json::Value) -> Vec<String> {
    let entries = report["violations"].as_array().unwrap();
    entries
        .iter()
        .map(|entry| entry["target"]["text"].as_str().unwrap().to_owned())
        .collect()
}

/// Standard output or error as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Starts a command whose standard output is a pipe, and waits until it has printed a first line.
pub(crate) fn start_and_wait_for_line(command: &mut Command) -> Child {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut byte = [0];
    while byte != *b"\n" {
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut byte)
            .expect("a line");
    }
    child
}

/// Sends a signal to a process.
pub(crate) fn send(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}
