//! What the host has. Every question to it goes through here, under the eyes
//! of the watchdog: a path walk can block for ever, and no flag prevents it.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::mounts::{Mount, Mounts};

/// The host's mounts, watched, and those of them that are dead.
#[derive(Debug)]
pub(super) struct Host {
    file: OwnedFd,
    table: RwLock<Table>,
    /// Too many threads are stuck: no further question is asked.
    suspended: AtomicBool,
}

#[derive(Debug, Default)]
struct Table {
    mounts: Mounts,
    dead: Vec<Mount>,
}

impl Host {
    /// Reads the mounts.
    pub(super) fn new() -> rustix::io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = rustix::fs::open("/proc/self/mountinfo", flags, Mode::empty())?;
        let host = Self {
            file,
            table: RwLock::default(),
            suspended: AtomicBool::new(false),
        };
        host.refresh()?;
        Ok(host)
    }

    /// The file that polls as urgent when a mount changes.
    pub(super) fn changes(&self) -> &OwnedFd {
        &self.file
    }

    /// Reads the mounts again. Of the dead ones those stay dead that are
    /// still mounted.
    pub(super) fn refresh(&self) -> rustix::io::Result<()> {
        let mut text = Vec::new();
        let mut part = vec![0; 16 * 1024];
        loop {
            match rustix::io::pread(&self.file, &mut part[..], text.len() as u64) {
                Ok(0) => break,
                Ok(length) => text.extend_from_slice(part.get(..length).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
        let mounts = Mounts::parse(&text);
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        table.dead.retain(|mount| mounts.has(mount));
        table.mounts = mounts;
        Ok(())
    }

    /// Whether the host may be asked about `path`.
    pub(super) fn examines(&self, path: &[u8]) -> bool {
        if self.suspended.load(Ordering::Relaxed) {
            return false;
        }
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        !table.mounts.avoided(path)
            && !table
                .dead
                .iter()
                .any(|mount| super::mounts::is_within(path, &mount.point))
    }

    /// A question about `path` was not answered in time: nothing on its mount
    /// is asked about any more. The root is never given up.
    pub(super) fn bury(&self, path: &[u8]) {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(mount) = table.mounts.of(path).cloned()
            && !table.dead.contains(&mount)
        {
            table.dead.push(mount);
        }
    }

    /// A question about `path` was answered after all.
    pub(super) fn revive(&self, path: &[u8]) {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        table
            .dead
            .retain(|mount| !super::mounts::is_within(path, &mount.point));
    }

    /// Stops or goes on asking altogether.
    pub(super) fn suspend(&self, suspended: bool) {
        self.suspended.store(suspended, Ordering::Relaxed);
    }
}
