//! How much memory a process has for itself.

use std::fs;

use crate::Failure;

/// KiB of a process that no other one shares.
pub(crate) fn private(pid: u32) -> Result<f64, Failure> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    Ok(field(&text, "Private_Clean:") + field(&text, "Private_Dirty:"))
}

/// KiB of a process that are in memory, shared ones too.
pub(crate) fn resident(pid: u32) -> Result<f64, Failure> {
    Ok(field(
        &fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?,
        "Rss:",
    ))
}

fn field(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next())
        .and_then(|word| word.parse().ok())
        .unwrap_or(f64::NAN)
}
