//! Running a command and taking its time.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

use crate::Failure;
use crate::bed::Bed;
use crate::contender::Contender;

/// What one run took.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// From before the start until it was waited for.
    pub(crate) wall: Duration,
    /// User and system time of it and all that it waited for.
    pub(crate) cpu: Duration,
    /// Its exit status.
    pub(crate) status: Option<i32>,
    /// What it printed.
    pub(crate) output: String,
}

impl Run {
    /// The numbers that it printed.
    pub(crate) fn numbers(&self) -> Result<Vec<f64>, Failure> {
        let numbers: Result<Vec<f64>, _> = self.output.split_whitespace().map(str::parse).collect();
        match numbers {
            Ok(numbers) if !numbers.is_empty() && self.status == Some(0) => Ok(numbers),
            _ => Err(format!(
                "a helper ended with {:?} and printed {:?}",
                self.status, self.output
            )
            .into()),
        }
    }
}

/// Runs `words` in a contender.
pub(crate) fn run(contender: Contender, bed: &Bed, words: &[OsString]) -> Result<Run, Failure> {
    let mut command = contender.command(bed, words);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let before = children()?;
    let start = Instant::now();
    let output = command
        .output()
        .map_err(|error| format!("cannot run {command:?}: {error}"))?;
    let wall = start.elapsed();
    let cpu = children()?.saturating_sub(before);
    let status = output.status.code();
    if status.is_none_or(|status| status >= 125) {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "{contender:?} ended with {}: {}",
            output.status,
            text.trim()
        )
        .into());
    }
    Ok(Run {
        wall,
        cpu,
        status,
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
    })
}

/// What all children that were waited for have used.
fn children() -> Result<Duration, Failure> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let time = |value: nix::sys::time::TimeVal| {
        let (seconds, micros) = (value.tv_sec().try_into(), value.tv_usec().try_into());
        Duration::from_secs(seconds.unwrap_or(0)) + Duration::from_micros(micros.unwrap_or(0))
    };
    Ok(time(usage.user_time()) + time(usage.system_time()))
}
