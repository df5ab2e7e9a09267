//! One run of the real program in a bed, and everything that is to be known of it afterwards.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::bed::Bed;
use crate::common::WHYBOX;
use crate::leftovers::{Snapshot, nothing_is_left};

/// What is readable and executable in each case.
const SYSTEM: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc"];
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// A run to be. Paths in rules and commands may start with `$T`.
pub(crate) struct Sbx<'a> {
    bed: &'a Bed,
    program: PathBuf,
    arguments: Vec<OsString>,
    directory: PathBuf,
    environment: Vec<(&'static str, OsString)>,
    report: TempDir,
}

impl<'a> Sbx<'a> {
    pub(crate) fn new(bed: &'a Bed) -> Sbx<'a> {
        let sbx = Sbx::of(bed, ["--preset", "none"].map(OsStr::new));
        SYSTEM
            .iter()
            .fold(sbx, |sbx, path| sbx.rule("--exec", path))
    }

    /// With the policy that these options choose.
    pub(crate) fn of(bed: &'a Bed, policy: [&OsStr; 2]) -> Sbx<'a> {
        let report = tempfile::tempdir_in("/var/tmp").unwrap();
        let sbx = Sbx {
            bed,
            program: WHYBOX.into(),
            arguments: Vec::new(),
            directory: bed.path("w"),
            environment: Vec::new(),
            report,
        };
        let file = sbx.report.path().join("r.json");
        sbx.option(["run"])
            .option(policy)
            .option([OsStr::new("--report"), file.as_os_str()])
            .env("T", bed.text())
            .env("HOME", bed.path("h"))
            .env("PATH", PATH)
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
    }

    /// Arguments of whybox as they are.
    pub(crate) fn option<A: AsRef<OsStr>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Sbx<'a> {
        let arguments = arguments
            .into_iter()
            .map(|argument| argument.as_ref().to_owned());
        self.arguments.extend(arguments);
        self
    }

    fn rule(self, option: &str, path: &str) -> Sbx<'a> {
        let path = self.bed.fill(path);
        self.option([option, &path])
    }

    /// May be read and executed.
    pub(crate) fn r(self, path: &str) -> Sbx<'a> {
        self.rule("--exec", path)
    }

    /// May be written too.
    pub(crate) fn w(self, path: &str) -> Sbx<'a> {
        self.rule("--write", path).r(path)
    }

    /// Is hidden.
    pub(crate) fn h(self, path: &str) -> Sbx<'a> {
        self.rule("--hide", path)
    }

    /// Is readable and never written.
    pub(crate) fn p(self, path: &str) -> Sbx<'a> {
        self.rule("--protect", path)
    }

    /// A variable that the command gets.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Sbx<'a> {
        self.environment.push((name, value.into()));
        self.option(["--env", name])
    }

    /// A variable of the caller, which the command gets only where the policy says so.
    pub(crate) fn outside(mut self, name: &'static str, value: &str) -> Sbx<'a> {
        self.environment.push((name, value.into()));
        self
    }

    /// Starts in another directory.
    pub(crate) fn from(mut self, name: &str) -> Sbx<'a> {
        self.directory = self.bed.path(name);
        self
    }

    /// Another copy of the program.
    pub(crate) fn program(mut self, program: PathBuf) -> Sbx<'a> {
        self.program = program;
        self
    }

    /// A shell script in the cage.
    pub(crate) fn sh(self, script: &str) -> Ran {
        self.run(&["sh", "-c", script])
    }

    /// A Python script in the cage.
    pub(crate) fn python(self, script: &str) -> Ran {
        let script = self.bed.fill(script);
        self.run(&["/usr/bin/python3", "-I", "-c", &script])
    }

    /// Any command in the cage.
    pub(crate) fn run(self, command: &[&str]) -> Ran {
        self.finish(command, |command| command.output().unwrap())
    }

    /// The command line of `whybox` for who starts it in a way of its own.
    pub(crate) fn command(&self, command: &[&str]) -> Command {
        let mut whybox = Command::new(&self.program);
        whybox
            .args(&self.arguments)
            .arg("--")
            .args(command.iter().map(|word| self.bed.fill(word)))
            .current_dir(&self.directory)
            .env_clear()
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null());
        whybox
    }

    /// The command is started by another program, which gets the command line as its last arguments.
    pub(crate) fn run_by(self, outer: &[&str], command: &[&str]) -> Ran {
        self.finish(command, |command| {
            let (program, arguments) = outer.split_first().unwrap();
            let environment = command.get_envs();
            Command::new(program)
                .args(arguments)
                .arg(command.get_program())
                .args(command.get_args())
                .current_dir(command.get_current_dir().unwrap())
                .env_clear()
                .envs(environment.filter_map(|(name, value)| Some((name, value?))))
                .stdin(Stdio::null())
                .output()
                .unwrap()
        })
    }

    /// Runs the command line by `start`, and looks at what it has left.
    pub(crate) fn finish(
        self,
        command: &[&str],
        start: impl FnOnce(&mut Command) -> Output,
    ) -> Ran {
        let before = Snapshot::take(self.bed);
        let output = start(&mut self.command(command));
        nothing_is_left(self.bed);
        let text = std::fs::read(self.report.path().join("r.json"));
        let report = text.map_or(Value::Null, |text| serde_json::from_slice(&text).unwrap());
        let ran = Ran {
            root: self.bed.text(),
            status: output.status,
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            report,
            changes: before.changes(&Snapshot::take(self.bed)),
        };
        ran.the_report_is_sound();
        ran
    }
}

/// A run that has ended.
pub(crate) struct Ran {
    root: String,
    status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) report: Value,
    changes: Vec<String>,
}

impl fmt::Debug for Ran {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Ran")
            .field("status", &self.status)
            .field("out", &self.out)
            .field("err", &self.err)
            .field("entries", &self.entries())
            .field("changes", &self.changes)
            .finish_non_exhaustive()
    }
}

impl Ran {
    /// The command ended with this status.
    #[track_caller]
    pub(crate) fn code(self, status: i32) -> Ran {
        assert_eq!(self.status.code(), Some(status), "{self:#?}");
        assert_eq!(self.status.signal(), None);
        self
    }

    /// Standard output was exactly this, with `$T` for the bed.
    #[track_caller]
    pub(crate) fn out(self, text: &str) -> Ran {
        assert_eq!(self.out.replace(&self.root, "$T"), text, "{self:#?}");
        self
    }

    /// The record has exactly these entries. Each is written `NAME OPERATION TARGET (REASON)`, with ` xN` after it for
    /// repeats and its kind before it when it is no denial.
    #[track_caller]
    pub(crate) fn record(self, entries: &[&str]) -> Ran {
        assert_eq!(self.entries(), entries, "{self:#?}");
        self
    }

    /// Nothing was refused, and so nothing is told of it.
    #[track_caller]
    pub(crate) fn no_entry(self) -> Ran {
        assert!(!self.err.contains("whybox"), "{self:#?}");
        self.record(&[])
    }

    /// The files of the bed changed in exactly this way: `+` new, `-` gone, `~` other content, type or mode.
    #[track_caller]
    pub(crate) fn changed(self, changes: &[&str]) -> Ran {
        assert_eq!(self.changes, changes, "{self:#?}");
        self
    }

    /// No file of the bed changed.
    #[track_caller]
    pub(crate) fn unchanged(self) -> Ran {
        self.changed(&[])
    }

    /// The entries as [`Ran::record`] writes them.
    pub(crate) fn entries(&self) -> Vec<String> {
        let entries = self.report["violations"].as_array();
        entries
            .map_or(&[][..], |entries| entries)
            .iter()
            .map(|entry| self.entry(entry))
            .collect()
    }

    fn entry(&self, entry: &Value) -> String {
        let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
        let reason = &entry["denied_by"];
        let reason = [&reason["kind"], &reason["class"], &reason["rule"]]
            .map(word)
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        let kind = match word(&entry["kind"]).as_str() {
            "denial" => String::new(),
            other => format!("{other}: "),
        };
        let times = match entry["repeats"].as_u64().unwrap() {
            1 => String::new(),
            times => format!(" x{times}"),
        };
        let name = word(&entry["process"]["name"]);
        let operation = word(&entry["operation"]);
        let target = word(&entry["target"]["text"]);
        format!("{kind}{name} {operation} {target} ({reason}){times}").replace(&self.root, "$T")
    }

    /// What holds of each report, whatever the run was.
    fn the_report_is_sound(&self) {
        if self.report.is_null() {
            return;
        }
        assert_eq!(self.report["schema"], "whybox-record/1");
        assert_eq!(self.report["complete"], true, "{self:#?}");
        for entry in self.report["violations"].as_array().unwrap() {
            let process = &entry["process"];
            assert!(process["pid"].as_u64().unwrap() > 1, "{entry}");
            assert!(process["exe"].as_str().unwrap().starts_with('/'), "{entry}");
            if entry["target"]["type"] == "path" {
                let target = entry["target"]["text"].as_str().unwrap();
                assert!(target.trim_start_matches('"').starts_with('/'), "{entry}");
            }
        }
    }
}
