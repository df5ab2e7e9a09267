//! The threads that serve the ghosts of a harness: a fixed few over one epoll
//! for all cages, a watchdog, and one that takes nodes back from the kernel.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;

use super::call::{Common, Eviction, Owed, answer};
use super::encode::Reply;
use super::host::Host;
use super::watch::{Look, Note, Slot, Watch};
use super::{Ghost, Received, Served, abi};
use crate::linux::process::Processes;

/// Threads that serve. Two, so that one that hangs for a second does not stop
/// all cages.
const WORKERS: usize = 2;
/// Threads that may hang at the same time; from then on the host is not asked
/// any more until one returns.
const STUCK: usize = 8;
/// Requests of one ghost served in a row, before another has its turn.
const TURN: usize = 64;
/// Stack of a thread; the deepest one holds two paths and a few frames.
const STACK: usize = 256 * 1024;

/// What an event is about, besides the ghosts, which count from here.
const STOP: u64 = 0;
const MOUNTS: u64 = 1;
const FIRST: u64 = 2;

/// Serves ghosts until it is dropped.
#[derive(Debug)]
pub(crate) struct Pool {
    shared: Arc<Shared>,
}

/// A ghost that is being served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ticket(u64);

#[derive(Debug)]
struct Shared {
    epoll: OwnedFd,
    stop: OwnedFd,
    ghosts: RwLock<HashMap<u64, Arc<Ghost>>>,
    next: AtomicU64,
    common: Common,
}

/// What one thread needs to serve.
struct Worker {
    request: Vec<u8>,
    reply: Reply,
    slot: Arc<Slot>,
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// When the kernel gives no descriptor or no thread.
    pub(crate) fn start(processes: Arc<Processes>) -> io::Result<Self> {
        let (evictions, evicted) = sync_channel(4);
        let shared = Arc::new(Shared {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            stop: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            ghosts: RwLock::default(),
            next: AtomicU64::new(FIRST),
            common: Common {
                host: Host::new()?,
                watch: Watch::default(),
                processes,
                evictions,
            },
        });
        epoll::add(
            &shared.epoll,
            &shared.stop,
            EventData::new_u64(STOP),
            EventFlags::IN,
        )?;
        epoll::add(
            &shared.epoll,
            shared.common.host.changes(),
            EventData::new_u64(MOUNTS),
            EventFlags::PRI,
        )?;
        // From here on a failure stops the threads that run already.
        let pool = Self { shared };
        for _ in 0..WORKERS {
            spawn_worker(&pool.shared)?;
        }
        let watchdog = Watchdog {
            shared: Arc::clone(&pool.shared),
            stuck: 0,
            missing: 0,
        };
        spawn("whybox-watch", move || watchdog.live())?;
        spawn("whybox-evict", move || evict(&evicted))?;
        Ok(pool)
    }

    /// Serves a ghost from now on, until its connection is gone.
    ///
    /// # Errors
    ///
    /// When the kernel cannot watch its descriptor.
    pub(crate) fn add(&self, ghost: Arc<Ghost>) -> io::Result<Ticket> {
        let key = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let device = ghost.device().ok_or(Errno::BADF)?;
        self.shared
            .ghosts
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, ghost);
        if let Err(errno) = epoll::add(&self.shared.epoll, &device, EventData::new_u64(key), EVENTS)
        {
            self.shared.forget(key);
            return Err(errno.into());
        }
        Ok(Ticket(key))
    }

    /// Serves a ghost no longer. Without `abort`, processes that ask it wait
    /// until it is dropped.
    pub(crate) fn remove(&self, ticket: Ticket) {
        self.shared.forget(ticket.0);
    }
}

/// Serves one ghost from the caller's own thread, before the pool does: a
/// launch waits for its look-ups one by one, and no other thread need wake up
/// for them.
pub(crate) struct Attendant<'a> {
    shared: &'a Shared,
    worker: Worker,
}

impl Pool {
    /// A means for the calling thread to serve.
    pub(crate) fn attendant(&self) -> Attendant<'_> {
        let worker = Worker::new(self.shared.common.watch.slot(false));
        Attendant {
            shared: &self.shared,
            worker,
        }
    }
}

impl Attendant<'_> {
    /// Serves what is queued; whether there was anything.
    pub(crate) fn serve(&mut self, ghost: &Arc<Ghost>) -> bool {
        let mut any = false;
        loop {
            match ghost.serve(&self.shared.common, &mut self.worker) {
                Ok(Served::One) => any = true,
                Ok(Served::Overdue) => {
                    // The watchdog still counts on the old one.
                    self.worker.slot = self.shared.common.watch.slot(false);
                    any = true;
                }
                Ok(Served::Nothing | Served::Closed) | Err(_) => return any,
            }
        }
    }
}

impl Drop for Attendant<'_> {
    fn drop(&mut self) {
        self.shared.common.watch.release(&self.worker.slot);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.common.watch.stop();
        // It stays readable: every worker sees it.
        let _ = rustix::io::write(&self.shared.stop, &1_u64.to_ne_bytes());
    }
}

/// Edge-triggered: a thread that is woken reads until nothing is left, and
/// what comes meanwhile wakes another.
const EVENTS: EventFlags = EventFlags::IN.union(EventFlags::ET);

impl Shared {
    fn forget(&self, key: u64) {
        let ghost = self
            .ghosts
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&key);
        if let Some(device) = ghost.and_then(|ghost| ghost.device()) {
            let _ = epoll::delete(&self.epoll, &device);
        }
    }

    /// Makes epoll look at a ghost again: what is queued there wakes a thread.
    fn nudge(&self, ghost: &Arc<Ghost>) {
        let ghosts = self.ghosts.read().unwrap_or_else(PoisonError::into_inner);
        let key = ghosts
            .iter()
            .find(|(_, other)| Arc::ptr_eq(other, ghost))
            .map(|(key, _)| *key);
        if let (Some(key), Some(device)) = (key, ghost.device()) {
            let _ = epoll::modify(&self.epoll, &device, EventData::new_u64(key), EVENTS);
        }
    }

    /// Serves one ghost for a turn; false when this thread was replaced.
    fn turn(&self, key: u64, worker: &mut Worker) -> bool {
        let ghost = self
            .ghosts
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
            .cloned();
        let Some(ghost) = ghost else { return true };
        for _ in 0..TURN {
            match ghost.serve(&self.common, worker) {
                Ok(Served::One) => {}
                Ok(Served::Nothing) => return true,
                Ok(Served::Overdue) => return false,
                Ok(Served::Closed) | Err(_) => {
                    self.forget(key);
                    return true;
                }
            }
        }
        self.nudge(&ghost);
        true
    }
}

impl Worker {
    fn new(slot: Arc<Slot>) -> Self {
        Self {
            request: vec![0; abi::REQUEST_MAX],
            reply: Reply::default(),
            slot,
        }
    }
}

impl Ghost {
    /// Deals with one queued request, without waiting for one.
    fn serve(self: &Arc<Self>, common: &Common, worker: &mut Worker) -> io::Result<Served> {
        let length = match self.receive(&mut worker.request)? {
            Received::Request(length) => length,
            Received::Nothing => return Ok(Served::Nothing),
            Received::Closed => return Ok(Served::Closed),
        };
        let request = worker.request.get(..length).unwrap_or_default();
        let owed = answer(self, common, &worker.slot, request, &mut worker.reply);
        match owed {
            Owed::Nothing => {}
            Owed::Overdue => return Ok(Served::Overdue),
            Owed::Reply => {
                self.send(worker.reply.as_bytes());
            }
            Owed::Entry(node) => {
                if !self.send(worker.reply.as_bytes()) {
                    // The kernel does not know of the node.
                    self.nodes().forget(node, 1);
                }
            }
        }
        Ok(Served::One)
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(body)
        .map(drop)
}

fn spawn_worker(shared: &Arc<Shared>) -> io::Result<()> {
    let shared = Arc::clone(shared);
    spawn("whybox-ghost", move || {
        let slot = shared.common.watch.slot(true);
        work(&shared, &mut Worker::new(slot));
    })
}

/// The life of a thread that serves.
fn work(shared: &Shared, worker: &mut Worker) {
    let mut events = Vec::with_capacity(1);
    loop {
        events.clear();
        match epoll::wait(&shared.epoll, spare_capacity(&mut events), None) {
            Ok(_) | Err(Errno::INTR) => {}
            // Only a broken descriptor gives another error.
            Err(_) => return,
        }
        for event in &events {
            match event.data.u64() {
                STOP => return,
                MOUNTS => drop(shared.common.host.refresh()),
                key => {
                    if !shared.turn(key, worker) {
                        return;
                    }
                }
            }
        }
    }
}

/// The watchdog. It asks the host nothing.
struct Watchdog {
    shared: Arc<Shared>,
    /// Threads that hang.
    stuck: usize,
    /// Threads that could not be started yet in their place.
    missing: usize,
}

impl Watchdog {
    fn live(mut self) {
        let shared = Arc::clone(&self.shared);
        let mut idle = false;
        while shared.common.watch.next(idle) {
            idle = self.missing == 0;
            for slot in shared.common.watch.slots() {
                let look = slot.look();
                idle &= matches!(look, Look::Idle);
                match look {
                    Look::Idle | Look::Busy => {}
                    Look::Late(ghost) => shared.nudge(&ghost),
                    Look::Overdue(note) => self.give_up(&note, slot.serves_all),
                    Look::Returned(path) => {
                        shared.common.watch.release(&slot);
                        shared.common.host.revive(&path);
                        self.count(self.stuck.saturating_sub(1));
                    }
                }
            }
            while self.missing > 0 && spawn_worker(&shared).is_ok() {
                self.missing -= 1;
            }
        }
    }

    /// Answers for a thread that hangs, and has it replaced.
    fn give_up(&mut self, note: &Note, replace: bool) {
        let common = &self.shared.common;
        common.host.bury(&note.path);
        note.ghost.answer_overdue(common, note);
        self.shared.nudge(&note.ghost);
        self.missing += usize::from(replace);
        self.count(self.stuck + 1);
    }

    fn count(&mut self, stuck: usize) {
        self.stuck = stuck;
        self.shared.common.host.suspend(stuck >= STUCK);
    }
}

/// The life of the thread that takes nodes back. The kernel makes it wait for
/// requests in the same directory, so it may never be one that serves.
fn evict(evictions: &Receiver<Eviction>) {
    let mut message = Reply::default();
    while let Ok((ghost, names)) = evictions.recv() {
        for (parent, name) in names {
            message.forget_name(parent, &name);
            ghost.send(message.as_bytes());
        }
    }
}
