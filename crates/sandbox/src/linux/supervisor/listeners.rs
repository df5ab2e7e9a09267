//! The thread that answers refused calls.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;

use super::answer::answer;
use super::notify;
use crate::linux::ghost::Sink;
use crate::linux::log::Log;
use crate::linux::process::Processes;

/// Stack of the thread, in bytes.
const STACK: usize = 256 << 10;

/// All listeners of a harness.
#[derive(Debug)]
pub(crate) struct Listeners {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    epoll: OwnedFd,
    known: Mutex<HashMap<u64, Arc<Listening>>>,
    next: AtomicU64,
    processes: Arc<Processes>,
}

/// One listener, until the last process under its filter has ended.
#[derive(Debug)]
pub(crate) struct Listening {
    listener: OwnedFd,
    log: Arc<Log>,
    closed: Mutex<bool>,
    changed: Condvar,
}

impl Listeners {
    /// Starts the thread.
    pub(crate) fn start(processes: Arc<Processes>) -> io::Result<Listeners> {
        let shared = Arc::new(Shared {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            known: Mutex::default(),
            next: AtomicU64::new(0),
            processes,
        });
        let inside = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("whybox-calls".to_owned())
            .stack_size(STACK)
            .spawn(move || inside.serve())?;
        Ok(Listeners { shared })
    }

    /// Answers a listener's calls from now on.
    pub(crate) fn add(&self, listener: OwnedFd, log: Arc<Log>) -> io::Result<Arc<Listening>> {
        notify::prefer_sync(&listener);
        let listening = Arc::new(Listening {
            listener,
            log,
            closed: Mutex::new(false),
            changed: Condvar::new(),
        });
        let key = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.shared.known().insert(key, Arc::clone(&listening));
        if let Err(errno) = epoll::add(
            &self.shared.epoll,
            &listening.listener,
            EventData::new_u64(key),
            EventFlags::IN,
        ) {
            self.shared.known().remove(&key);
            return Err(errno.into());
        }
        Ok(listening)
    }
}

impl Listening {
    /// Waits until no more can come, at most for `patience`.
    pub(crate) fn closed(&self, patience: Duration) -> bool {
        let closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        let (closed, _) = self
            .changed
            .wait_timeout_while(closed, patience, |closed| !*closed)
            .unwrap_or_else(PoisonError::into_inner);
        *closed
    }

    fn close(&self) {
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, HashMap<u64, Arc<Listening>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        let mut events = Vec::with_capacity(16);
        loop {
            match epoll::wait(&self.epoll, spare_capacity(&mut events), None) {
                Ok(_) | Err(Errno::INTR) => {}
                // Calls of every cage then answer ENOSYS or wait until they are killed; none goes through.
                Err(_) => return,
            }
            for event in events.drain(..) {
                let (key, flags) = (event.data.u64(), event.flags);
                let Some(listening) = self.known().get(&key).map(Arc::clone) else {
                    continue;
                };
                if flags.contains(EventFlags::IN) {
                    self.one(&listening);
                } else if flags.intersects(EventFlags::HUP | EventFlags::ERR) {
                    let _ = epoll::delete(&self.epoll, &listening.listener);
                    self.known().remove(&key);
                    listening.close();
                }
            }
        }
    }

    /// Answers one call. The entry is made first, so that no refusal is known to the program and not to the record.
    fn one(&self, listening: &Listening) {
        // Its caller may have been killed meanwhile, or another signal interrupted this thread: nothing is owed.
        let Ok(notification) = notify::receive(&listening.listener) else {
            return;
        };
        let process = self.processes.of_thread(notification.thread);
        let (errno, event) = answer(&notification, process);
        listening.log.record(event);
        let _ = notify::refuse(&listening.listener, notification.id, errno);
    }
}
