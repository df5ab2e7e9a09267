//! Entries as lines of JSON, as they come.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use whybox::record::{Violation, Violations};

use crate::failure::{Failure, complain};
use crate::output::Output;

/// The thread that writes them.
pub(crate) struct Events {
    start: SyncSender<Receiver<Violation>>,
    thread: JoinHandle<Written>,
}

/// What it has written.
struct Written {
    output: Output,
    entries: HashSet<u64>,
    result: io::Result<()>,
}

impl Events {
    /// Starts the thread.
    pub(crate) fn new(output: Output) -> Result<Events, Failure> {
        let (start, stream) = sync_channel::<Receiver<Violation>>(1);
        let mut written = Written {
            output,
            entries: HashSet::new(),
            result: Ok(()),
        };
        let thread = std::thread::Builder::new()
            .name("events".to_owned())
            .spawn(move || {
                for entry in stream.into_iter().flatten() {
                    written.write(&entry);
                }
                written
            });
        let thread =
            thread.map_err(|error| Failure::before(format!("cannot start a thread: {error}")))?;
        Ok(Events { start, thread })
    }

    /// Writes what comes through a stream.
    pub(crate) fn follow(&self, stream: Receiver<Violation>) {
        // It can only fail if the thread has died, which its end will tell.
        let _ = self.start.send(stream);
    }

    /// Waits until the stream has ended, and writes what it lost by falling behind.
    pub(crate) fn finish(self, violations: &Violations) {
        drop(self.start);
        let Ok(mut written) = self.thread.join() else {
            complain("--events: the thread that writes them has died");
            return;
        };
        violations.iter().for_each(|entry| written.write(entry));
        let Written { output, result, .. } = written;
        match result.and_then(|()| output.in_place()) {
            Ok(true) => {}
            Ok(false) => complain(format_args!(
                "{}: another file is in its place now, so what stands there is not whybox's",
                output.name()
            )),
            Err(error) => complain(format_args!(
                "{}: cannot write all events: {error}",
                output.name()
            )),
        }
    }
}

impl Written {
    /// Writes an entry, once, and nothing more after a failure.
    fn write(&mut self, entry: &Violation) {
        if self.result.is_ok() && self.entries.insert(entry.id) {
            let line = entry.to_json_line().map_err(io::Error::other);
            self.result = line.and_then(|line| self.output.write_all(line.as_bytes()));
        }
    }
}
