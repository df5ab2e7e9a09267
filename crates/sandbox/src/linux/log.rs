//! The log of one run: what witnesses saw, and who listens.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use whybox_record::{Dropped, Event, Recorded, Recorder, Violation};

use super::ghost::Sink;

/// New entries that a live stream holds before it falls behind (V7).
const STREAM: usize = 1_024;

/// Keeps entries, bounded and merged, and passes new ones on.
#[derive(Debug)]
pub(crate) struct Log {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// Nothing is kept where reporting is off.
    recorder: Option<Recorder>,
    stream: Option<SyncSender<Violation>>,
}

impl Log {
    pub(crate) fn new(recording: bool) -> Log {
        Log {
            inner: Mutex::new(Inner {
                recorder: recording.then(Recorder::new),
                stream: None,
            }),
        }
    }

    /// Passes entries on from now on, those that are there already first. The latest stream is the only one.
    pub(crate) fn stream(&self) -> Receiver<Violation> {
        let (sender, receiver) = sync_channel(STREAM);
        let mut inner = self.locked();
        let past = inner
            .recorder
            .as_ref()
            .map(|recorder| recorder.snapshot().0)
            .unwrap_or_default();
        past.into_iter()
            .for_each(|entry| _ = sender.try_send(entry));
        inner.stream = Some(sender);
        receiver
    }

    /// Ends the stream: no more can come.
    pub(crate) fn close_stream(&self) {
        self.locked().stream = None;
    }

    /// The entries so far, and what had no room.
    pub(crate) fn snapshot(&self) -> (Vec<Violation>, Dropped) {
        self.locked()
            .recorder
            .as_ref()
            .map(Recorder::snapshot)
            .unwrap_or_default()
    }

    fn locked(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Log {
    fn record(&self, event: Event) {
        let mut inner = self.locked();
        let Inner {
            recorder: Some(recorder),
            stream,
        } = &mut *inner
        else {
            return;
        };
        if let Recorded::New(id) = recorder.record(event)
            && let (Some(stream), Some(entry)) = (stream, recorder.get(id))
        {
            // A stream that is full or gone loses the entry; the record does not.
            let _ = stream.try_send(entry.clone());
        }
    }
}
