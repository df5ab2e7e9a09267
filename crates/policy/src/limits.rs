//! Bounds on what a run may use.

use std::time::Duration;

/// Bounds of a run; `None` is no bound.
///
/// ```
/// use whybox_policy::Limits;
/// let mut limits = Limits::default();
/// limits.processes = Some(64);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// Processes and threads at one time.
    pub processes: Option<u64>,
    /// Memory, in bytes.
    pub memory_bytes: Option<u64>,
    /// Size of any one file that is written, in bytes.
    pub file_size_bytes: Option<u64>,
    /// Open descriptors of one process.
    pub open_files: Option<u64>,
    /// Processor time of one process, in seconds.
    pub cpu_seconds: Option<u64>,
    /// Time from start to end; kept in whole milliseconds.
    pub timeout: Option<Duration>,
}
