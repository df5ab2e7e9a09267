//! Running one workload in a cage, under strace.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use whybox_record::{Exit, Report};

use crate::attempt::{Attempts, attempts};
use crate::bed::Bed;
use crate::calls::traced;
use crate::replay::host_link;
use crate::trace::{self, OPTIONS};
use crate::workloads::Workload;

/// What whybox has to end a run whose time is up.
const GRACE: Duration = Duration::from_secs(30);

/// What a run left.
#[derive(Debug)]
pub struct Ran {
    /// What its processes tried, by the trace.
    pub attempts: Attempts,
    /// What whybox recorded.
    pub report: Report,
    /// How strace, and so whybox, ended.
    pub status: ExitStatus,
}

/// Why a run cannot be judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A program or a file is missing or unusable.
    #[error("cannot {step}: {error}")]
    Io {
        /// What was tried.
        step: String,
        /// What the system answered.
        error: io::Error,
    },
    /// It took too long.
    #[error("the run did not end within {0:?}; its trace is in {1}")]
    TooLong(Duration, PathBuf),
    /// The command did not run.
    #[error("whybox ended with {status}: {text}")]
    NotStarted {
        /// How it ended.
        status: ExitStatus,
        /// The start of its standard error.
        text: String,
    },
    /// The trace is not understood.
    #[error(transparent)]
    Trace(#[from] trace::Unreadable),
    /// The report is not one.
    #[error(transparent)]
    Report(#[from] whybox_record::ReportError),
}

/// Ends whybox, the first process of the trace, and with it the cage and strace. The tracer
/// alone would leave them running.
fn end(strace: &mut Child, trace: &Path) {
    let start = fs::read(trace).unwrap_or_default();
    let digits = start
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let first = std::str::from_utf8(start.get(..digits).unwrap_or_default());
    let pid = first
        .ok()
        .and_then(|digits| digits.parse().ok())
        .and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // strace has not reaped it, so the number is still its own.
        let _ = kill_process(pid, Signal::KILL);
    }
    let _ = strace.kill();
    let _ = strace.wait();
}

/// Runs a workload; `quiet` leaves the quiet list in force.
///
/// # Errors
/// When there is nothing to compare: see [`RunError`].
pub fn run(workload: &Workload, bed: &Bed, whybox: &Path, quiet: bool) -> Result<Ran, RunError> {
    let name = workload
        .name
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-")
        + if quiet { "" } else { "-loud" };
    let trace = bed.root().join(format!("{name}.trace"));
    let report = bed.root().join(format!("{name}.json"));
    let output = bed.root().join(format!("{name}.out"));
    let io = |step: String| move |error| RunError::Io { step, error };
    let create = |path: &Path| File::create(path).map_err(io(format!("create {}", path.display())));

    let mut command = Command::new("strace");
    command
        .args(OPTIONS)
        .arg("-e")
        .arg(format!("trace={}", traced()))
        .arg("-o")
        .arg(&trace)
        .arg("--")
        .arg(whybox)
        .args(["run", "--no-summary", "--timeout"])
        .arg(format!("{}s", workload.patience.as_secs()))
        .arg("--report")
        .arg(&report)
        .args((!quiet).then_some("--no-quiet"))
        .args(workload.options.iter().map(|word| bed.fill(word)))
        .arg("--")
        .args(workload.command.iter().map(|word| bed.fill(word)))
        .current_dir(bed.root().join("work"))
        .env("HOME", bed.root().join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .stdin(Stdio::null())
        .stdout(create(&output)?)
        .stderr(create(&bed.root().join(format!("{name}.err")))?);
    let mut child = command
        .spawn()
        .map_err(io("start strace (install the package strace)".to_owned()))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(io("wait for strace".to_owned()))? {
            break status;
        }
        if start.elapsed() > workload.patience + GRACE {
            end(&mut child, &trace);
            return Err(RunError::TooLong(workload.patience, trace));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = fs::read_to_string(&report).map_err(io(format!("read {}", report.display())))?;
    if status.code() == Some(125) || text.is_empty() {
        let error = fs::read(bed.root().join(format!("{name}.err"))).unwrap_or_default();
        let text = String::from_utf8_lossy(error.get(..2000).unwrap_or(&error)).into_owned();
        return Err(RunError::NotStarted { status, text });
    }
    let report = Report::from_json(&text)?;
    if matches!(report.run.exit, Some(Exit::Timeout {})) {
        return Err(RunError::TooLong(workload.patience, trace));
    }
    let traced = fs::read(&trace).map_err(io(format!("read {}", trace.display())))?;
    let events = trace::events(&traced)?;
    let attempts = attempts(&events, &bed.root().join("work"), host_link);
    Ok(Ran {
        attempts,
        report,
        status,
    })
}
