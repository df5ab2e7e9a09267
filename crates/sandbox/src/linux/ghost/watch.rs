//! Deadlines. A thread that asks the host writes down first on whose behalf;
//! a thread that never asks anything looks over these notes and answers in
//! the place of whoever took too long. Each request has one answer: the note
//! is the right to give it, and who takes the note has it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use whybox_record::Operation;

use super::Ghost;

/// Time between two looks. Time is counted in looks, so that a harness that
/// was stopped does not find everything overdue when it goes on.
pub(super) const TICK: Duration = Duration::from_millis(50);
/// Looks after which another thread is sent to what else is queued.
pub(super) const LATE: u32 = 2;
/// Looks after which a request is answered for its thread: one second.
pub(super) const OVERDUE: u32 = 20;

/// A request of which the answer depends on the host.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) ghost: Arc<Ghost>,
    pub(super) unique: u64,
    pub(super) thread: u32,
    pub(super) operation: Operation,
    pub(super) path: Vec<u8>,
}

/// Where one thread leaves its notes.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// The thread serves the pool, and must be replaced while it hangs.
    pub(super) serves_all: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    note: Option<Note>,
    /// Counts the notes, so that two looks know whether they saw the same.
    serial: u64,
    seen: u64,
    age: u32,
    /// What the question was about that was given up.
    given_up: Option<Vec<u8>>,
    /// The thread has come back from it.
    returned: bool,
}

/// What a look at a slot found.
#[derive(Debug)]
pub(super) enum Look {
    /// Nothing since the last look.
    Idle,
    /// Work goes on.
    Busy,
    /// Work hangs: what else is queued there needs another thread.
    Late(Arc<Ghost>),
    /// Work hung too long; the right to answer.
    Overdue(Note),
    /// The thread that hung asking about this path came back; it uses the
    /// slot no more.
    Returned(Vec<u8>),
}

impl Slot {
    /// Leaves a note.
    pub(super) fn arm(&self, note: Note) {
        let mut state = self.locked();
        state.serial += 1;
        state.note = Some(note);
    }

    /// Takes the note back: the right to answer. False when the watchdog has
    /// it; the thread must leave the slot to it then.
    pub(super) fn disarm(&self) -> bool {
        let mut state = self.locked();
        state.returned = state.note.take().is_none();
        !state.returned
    }

    /// One look.
    pub(super) fn look(&self) -> Look {
        let mut state = self.locked();
        if state.returned
            && let Some(path) = state.given_up.take()
        {
            return Look::Returned(path);
        }
        let moved = state.seen != state.serial;
        if moved {
            state.seen = state.serial;
            state.age = 0;
        }
        let Some(note) = &state.note else {
            return if moved { Look::Busy } else { Look::Idle };
        };
        let ghost = Arc::clone(&note.ghost);
        state.age += 1;
        match state.age {
            LATE => Look::Late(ghost),
            OVERDUE.. => {
                state.given_up = state.note.as_ref().map(|note| note.path.clone());
                state.note.take().map_or(Look::Idle, Look::Overdue)
            }
            _ => Look::Busy,
        }
    }

    /// Whether the watchdog has something to do here.
    fn wants_a_look(&self) -> bool {
        let state = self.locked();
        state.note.is_some() || (state.returned && state.given_up.is_some())
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All slots, and the sleep of the thread that looks at them: an idle harness
/// is not woken twenty times a second.
#[derive(Debug, Default)]
pub(super) struct Watch {
    slots: Mutex<Vec<Arc<Slot>>>,
    asleep: AtomicBool,
    stopped: AtomicBool,
    sleep: Mutex<()>,
    woken: Condvar,
}

impl Watch {
    /// A slot for one more thread, of the pool's own or a visitor.
    pub(super) fn slot(&self, serves_all: bool) -> Arc<Slot> {
        let slot = Arc::new(Slot {
            serves_all,
            state: Mutex::default(),
        });
        self.slots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Arc::clone(&slot));
        slot
    }

    /// The thread of a slot ends.
    pub(super) fn release(&self, slot: &Arc<Slot>) {
        self.slots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|other| !Arc::ptr_eq(other, slot));
    }

    /// All slots.
    pub(super) fn slots(&self) -> Vec<Arc<Slot>> {
        self.slots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// To be called after a note was left, or found gone.
    pub(super) fn attend(&self) {
        if self.asleep.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    /// Ends the watching.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.wake();
    }

    fn wake(&self) {
        let _held = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.asleep.store(false, Ordering::SeqCst);
        self.woken.notify_all();
    }

    /// Waits for the next look; false when there is none. When `idle`, it
    /// waits until a note is left.
    pub(super) fn next(&self, idle: bool) -> bool {
        let mut held = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        if idle {
            self.asleep.store(true, Ordering::SeqCst);
            // A note left before the flag was seen wakes nobody.
            if self.slots().iter().any(|slot| slot.wants_a_look()) {
                self.asleep.store(false, Ordering::SeqCst);
            }
            while self.asleep.load(Ordering::SeqCst) && !self.stopped.load(Ordering::SeqCst) {
                held = self
                    .woken
                    .wait(held)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
        if !self.stopped.load(Ordering::SeqCst) {
            drop(
                self.woken
                    .wait_timeout(held, TICK)
                    .unwrap_or_else(PoisonError::into_inner),
            );
        }
        !self.stopped.load(Ordering::SeqCst)
    }
}
