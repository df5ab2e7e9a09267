//! The names of the policy file's format: what may be read is what may be written.

use crate::Limits;

/// The version of the format.
pub(crate) const VERSION: i64 = 1;

/// The keys of the file.
pub(crate) const TOP: &[&str] = &[
    "version",
    "preset",
    "files",
    "environment",
    "network",
    "tmp",
    "limits",
    "lifetime",
    "terminal",
];

/// The keys of `[files]`: the kinds of rules.
pub(crate) const FILES: &[&str] = &["read", "write", "exec", "hide", "protect", "absent"];

/// The keys of `[environment]`.
pub(crate) const ENVIRONMENT: &[&str] = &["mode", "allow", "set"];

/// The keys of `[network]`.
pub(crate) const NETWORK: &[&str] = &["mode"];

/// The keys of `[limits]`.
pub(crate) const LIMITS: &[&str] = &[
    "processes",
    "memory_bytes",
    "file_size_bytes",
    "open_files",
    "cpu_seconds",
    "timeout_ms",
];

/// One of the limits.
pub(crate) enum Limit {
    Count(fn(&mut Limits) -> &mut Option<u64>),
    TimeoutMs,
}

impl Limit {
    pub(crate) fn named(key: &str) -> Option<Limit> {
        Some(match key {
            "processes" => Limit::Count(|l| &mut l.processes),
            "memory_bytes" => Limit::Count(|l| &mut l.memory_bytes),
            "file_size_bytes" => Limit::Count(|l| &mut l.file_size_bytes),
            "open_files" => Limit::Count(|l| &mut l.open_files),
            "cpu_seconds" => Limit::Count(|l| &mut l.cpu_seconds),
            "timeout_ms" => Limit::TimeoutMs,
            _ => return None,
        })
    }

    /// The limits that are set, by key.
    pub(crate) fn values(limits: &Limits) -> Vec<(&'static str, u64)> {
        let mut limits = *limits;
        let timeout = limits
            .timeout
            .map(|t| u64::try_from(t.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX));
        LIMITS
            .iter()
            .filter_map(|key| {
                let value = match Limit::named(key)? {
                    Limit::Count(slot) => *slot(&mut limits),
                    Limit::TimeoutMs => timeout,
                };
                Some((*key, value?))
            })
            .collect()
    }
}
