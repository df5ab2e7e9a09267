//! Loops of opens. Each prints what it took from inside, so that the start is not counted.

use std::fs::File;
use std::io::ErrorKind;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::MARK;
use crate::Failure;

/// Nanoseconds that `count` opens and closes of a readable file take.
pub(super) fn opens(count: u32, path: &str) -> Result<u128, Failure> {
    let start = Instant::now();
    for _ in 0..count {
        drop(File::open(path)?);
    }
    Ok(start.elapsed().as_nanos())
}

/// Microseconds of a refused open: the median and the 99th of a hundred.
pub(super) fn denied(count: usize, path: &str) -> Result<(f64, f64), Failure> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        refused(1, path)?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let at = |rank: usize| times.get(rank).copied().unwrap_or(f64::NAN);
    Ok((at(count / 2), at(count * 99 / 100)))
}

/// Opens a file that is refused, `count` times.
pub(super) fn refused(count: u32, path: &str) -> Result<(), Failure> {
    for _ in 0..count {
        match File::open(path) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
            other => {
                return Err(
                    format!("{path} was to be refused, and opening it gave {other:?}").into(),
                );
            }
        }
    }
    Ok(())
}

/// Seconds that `count` refused opens take, shared out to `processes` at once.
pub(super) fn storm(count: u32, processes: u32, path: &str) -> Result<f64, Failure> {
    let share = (count / processes.max(1)).to_string();
    let start = Instant::now();
    let program = std::env::current_exe()?;
    let started: Result<Vec<_>, _> = (0..processes)
        .map(|_| {
            Command::new(&program)
                .args([MARK, "refused", &share, path])
                .stdin(Stdio::null())
                .spawn()
        })
        .collect();
    for mut child in started? {
        if !child.wait()?.success() {
            return Err("a process of the storm failed".into());
        }
    }
    Ok(start.elapsed().as_secs_f64())
}
