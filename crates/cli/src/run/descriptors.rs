//! What whybox was started with besides the standard streams.

use std::os::fd::RawFd;

use crate::args::{RunOptions, Sink};

/// Closes what the caller left open by mistake: a lock or a socket of its must not stay held for as long as the run
/// goes on. Those named by `--report` and `--events` stay. To be called before anything is opened here.
pub(crate) fn close_others(options: &RunOptions) {
    let keep: Vec<RawFd> = [&options.report, &options.events]
        .into_iter()
        .filter_map(|sink| match sink {
            Some(Sink::Descriptor(number)) => Some(*number),
            _ => None,
        })
        .collect();
    let open: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2 && !keep.contains(number))
        .collect();
    for number in open {
        // The one that listed them is among them, and closed by now.
        let _ = nix::unistd::close(number);
    }
}
