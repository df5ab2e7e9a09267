//! Which process a thread belongs to, and what to call it.
//!
//! Witnesses learn thread ids, as the harness sees them. A thread waits for
//! its answer while this is asked, so it lives, and so does its process; but
//! ids are used again, names change at any moment, and a thread that executes
//! takes over the id of its process. So nothing is believed from an earlier
//! time but what an open descriptor proves: a file of `/proc/ID` that was
//! opened once belongs to that one process for ever, and cannot be read after
//! its end. A name, the program and whether the parent still lives are read
//! anew each time, through such descriptors.

mod entry;
mod files;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::Errno;
use whybox_record::Process;

use entry::Entry;
use files::ThreadFile;

/// Processes remembered; each holds up to three descriptors.
const PROCESSES: usize = 32;
/// Threads remembered that do not lead their process; each holds one.
const THREADS: usize = 32;

/// Resolves threads to processes. One serves a whole harness.
#[derive(Debug)]
pub(crate) struct Processes {
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    processes: Recent<u32, Arc<Entry>>,
    threads: Recent<u32, Arc<Thread>>,
}

/// A thread that does not lead its process.
#[derive(Debug)]
struct Thread {
    /// Readable as long as the thread lives.
    proof: ThreadFile,
    process: u32,
}

impl Processes {
    /// Nothing is known yet, and nothing opened.
    pub(crate) fn new() -> Self {
        let known = Known {
            processes: Recent::new(PROCESSES),
            threads: Recent::new(THREADS),
        };
        Self {
            known: Mutex::new(known),
        }
    }

    /// The process of a thread that is waiting for an answer. One that cannot
    /// be found (it is being killed, or the kernel asked by itself: 0) is
    /// named `?`.
    pub(crate) fn of_thread(&self, thread: u32) -> Arc<Process> {
        let found = self.resolve(thread).or_else(|errno| {
            if !matches!(errno, Errno::MFILE | Errno::NFILE) {
                return Err(errno);
            }
            // The harness is out of descriptors: the ones kept here go first.
            self.locked().clear();
            self.resolve(thread)
        });
        found.unwrap_or_else(|_| Arc::new(Process::new(thread, 0, b"?")))
    }

    fn resolve(&self, thread: u32) -> rustix::io::Result<Arc<Process>> {
        if thread == 0 {
            return Err(Errno::SRCH);
        }
        if let Some(process) = self.remembered(thread) {
            return Ok(process);
        }
        let status = files::status(thread)?;
        if status.process != thread {
            let proof = ThreadFile::open(thread)?;
            let known = Thread {
                proof,
                process: status.process,
            };
            self.locked().threads.insert(thread, Arc::new(known));
        }
        let entry = Arc::new(Entry::open(status.process, status.parent)?);
        let process = entry.now(thread)?;
        self.locked().processes.insert(status.process, entry);
        Ok(process)
    }

    /// Answers from what is remembered, if all of it still holds.
    fn remembered(&self, thread: u32) -> Option<Arc<Process>> {
        let (member, entry) = {
            let mut known = self.locked();
            let member = known.threads.get(&thread);
            let process = member.as_ref().map_or(thread, |member| member.process);
            (member, known.processes.get(&process)?)
        };
        if let Some(member) = member
            && !member.proof.lives()
        {
            // Its id may lead a process by now.
            self.locked().threads.remove(&thread);
            return None;
        }
        entry.now(thread).ok()
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn clear(&mut self) {
        self.processes.entries.clear();
        self.threads.entries.clear();
    }
}

/// The most recently used of a kind. Small, so that a search for the oldest
/// costs less than keeping an order.
#[derive(Debug)]
struct Recent<K, V> {
    entries: HashMap<K, (u64, V)>,
    clock: u64,
    most: usize,
}

impl<K: Copy + Eq + Hash, V: Clone> Recent<K, V> {
    fn new(most: usize) -> Self {
        Self {
            entries: HashMap::new(),
            clock: 0,
            most,
        }
    }

    fn get(&mut self, key: &K) -> Option<V> {
        self.clock += 1;
        let (used, value) = self.entries.get_mut(key)?;
        *used = self.clock;
        Some(value.clone())
    }

    fn insert(&mut self, key: K, value: V) {
        self.clock += 1;
        if self.entries.len() >= self.most && !self.entries.contains_key(&key) {
            let oldest = self
                .entries
                .iter()
                .min_by_key(|(_, (used, _))| *used)
                .map(|(key, _)| *key);
            oldest.and_then(|key| self.entries.remove(&key));
        }
        self.entries.insert(key, (self.clock, value));
    }

    fn remove(&mut self, key: &K) {
        self.entries.remove(key);
    }
}
