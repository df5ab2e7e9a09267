//! The store that a run's events go into: merging, bounded, fair.

mod identity;
mod shares;

use std::hash::RandomState;

use hashbrown::HashTable;

use crate::{Dropped, Event, Violation};
use identity::{hash, is_same};
use shares::Shares;

/// The store that a run's events go into.
///
/// **Merging** (V5). Events with the same process (pid, name and program), operation,
/// kind, target, other target, reason and errno are one entry, which counts them.
/// Entries are numbered from 1, keep their number, and are never removed.
///
/// **Bounded** (V10). At most [`Recorder::CAPACITY`] entries, with at most
/// [`Target::MAX`](crate::Target::MAX) bytes for each of their texts; an entry that
/// holds more than 1,024 bytes of text takes several places. What finds no
/// place is counted per class in [`Dropped`].
///
/// **Fair** (X6). A place is taken from the first of these that has one, so that no
/// flood keeps out what comes after it:
///
/// | room | places | who may take one |
/// |---|---|---|
/// | common | what the others leave, about two thirds | all |
/// | per class | 1/160 each | events of the class |
/// | per operation | 1/400 each | events of the operation |
/// | first of a reason | 1/10 | the first 8 of each operation, kind and reason |
/// | first of a process | 1/10 | the first 4 of each process |
///
/// In the first three, one process may take a place only while it holds less than
/// three times what is free there: alone it fills three quarters, and whoever comes
/// after it gets three quarters of the rest. What a process calls itself does not
/// matter. Very many processes can fill the room of one operation and reason;
/// the room of every other class, operation and reason stays.
#[derive(Debug)]
pub struct Recorder {
    entries: Vec<Violation>,
    /// Hash of the identity, and the position in `entries`.
    index: HashTable<(u64, usize)>,
    hasher: RandomState,
    shares: Shares,
    dropped: Dropped,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recorded {
    /// It is a new entry with this id.
    New(u64),
    /// It is counted in the entry with this id.
    Repeat(u64),
    /// It found no place, and is counted as dropped.
    Dropped,
}

impl Recorder {
    /// The most entries that any record holds.
    pub const CAPACITY: usize = 10_000;

    /// An empty store with the full capacity.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(Self::CAPACITY)
    }

    /// An empty store with room for fewer entries; more than
    /// [`Recorder::CAPACITY`] are never held. Below 400 the rooms of operations are
    /// empty, and below 10 there is only the common one.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            entries: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::new(),
            shares: Shares::new(capacity.min(Self::CAPACITY)),
            dropped: Dropped::default(),
        }
    }

    /// Takes an event in. One that is repeated or dropped allocates nothing.
    pub fn record(&mut self, event: Event) -> Recorded {
        let hash = hash(&self.hasher, &event);
        let entries = &self.entries;
        let found = self.index.find(hash, |(_, position)| {
            entries
                .get(*position)
                .is_some_and(|entry| is_same(entry, &event))
        });
        if let Some((_, position)) = found
            && let Some(entry) = self.entries.get_mut(*position)
        {
            entry.repeat(&event);
            return Recorded::Repeat(entry.id);
        }
        let class = event.class();
        if !self.shares.take(&self.hasher, class, &event) {
            self.dropped.add(class, 1);
            return Recorded::Dropped;
        }
        let position = self.entries.len();
        let id = position as u64 + 1;
        self.entries.push(Violation::new(id, event));
        self.index
            .insert_unique(hash, (hash, position), |(hash, _)| *hash);
        Recorded::New(id)
    }

    /// The entries so far in the order of their ids, and what is in none.
    #[must_use]
    pub fn snapshot(&self) -> (Vec<Violation>, Dropped) {
        (self.entries.clone(), self.dropped)
    }

    /// The entry with this id.
    #[must_use]
    pub fn get(&self, id: u64) -> Option<&Violation> {
        let position = usize::try_from(id.checked_sub(1)?).ok()?;
        self.entries.get(position)
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What is in no entry so far.
    #[must_use]
    pub const fn dropped(&self) -> Dropped {
        self.dropped
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}
