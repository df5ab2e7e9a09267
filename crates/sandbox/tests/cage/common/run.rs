//! Commands run to their end.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::ExitStatus;

use whybox::{Cage, CageOptions, Child, Command, Grants, Policy, Spawn, Stdio, Violations};

use super::lines;

/// The system's own: one in `PATH` may be a shim of the user's.
pub(crate) const PYTHON: &str = "/usr/bin/python3";

/// How a command ended.
pub(crate) struct Outcome {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) record: Violations,
}

impl Outcome {
    /// The output of a command that must have succeeded.
    #[track_caller]
    pub(crate) fn success(&self) -> &str {
        assert!(
            self.status.success(),
            "{}\n{}\n{}\n{}",
            self.status,
            self.out,
            self.err,
            lines(&self.record)
        );
        self.out.trim_end_matches('\n')
    }

    #[track_caller]
    pub(crate) fn code(&self) -> i32 {
        self.status
            .code()
            .unwrap_or_else(|| panic!("{}\n{}", self.status, self.err))
    }
}

/// A command with pipes for its output and nothing to read.
pub(crate) fn command(program: impl AsRef<OsStr>, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a command that has pipes for its output, with reporting.
pub(crate) fn run(policy: &Policy, command: &mut Command) -> Outcome {
    run_with(policy, &CageOptions::default().with_violations(), command)
}

/// Runs a command that has pipes for its output.
pub(crate) fn run_with<C: Spawn>(policy: &Policy, options: &CageOptions, command: C) -> Outcome {
    let cage = Cage::with_options(policy, options).unwrap();
    finish(
        cage.spawn(command, &Grants::new())
            .unwrap_or_else(|error| panic!("{error}")),
    )
}

/// Takes what a run says, to its end.
pub(crate) fn finish(mut run: Child) -> Outcome {
    let stderr = run.stderr.take();
    let err = std::thread::spawn(move || text(stderr));
    let out = text(run.stdout.take());
    let status = run.wait().unwrap();
    Outcome {
        status,
        out,
        err: err.join().unwrap(),
        record: run.violations(),
    }
}

fn text(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        from.read_to_end(&mut bytes).unwrap();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Runs a shell script, with reporting.
pub(crate) fn shell(policy: &Policy, directory: &Path, script: &str) -> Outcome {
    run(policy, &mut in_shell(directory, script))
}

/// The command for a shell script.
pub(crate) fn in_shell(directory: &Path, script: &str) -> Command {
    let mut command = command("/bin/sh", directory);
    command.arg("-c").arg(script);
    command
}

/// The command for a Python script, which may use what [`super::python`] defines.
pub(crate) fn python(directory: &Path, script: &str) -> Command {
    let mut command = command(PYTHON, directory);
    command.args(["-I", "-S", "-c", &super::python::with_prelude(script)]);
    command
}
