//! One request, from its bytes to its answer.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use rustix::fs::{AtFlags, CWD, Stat};
use rustix::io::Errno;
use whybox_record::Operation;

use super::decode::{Body, Header, Malformed, Request, decode};
use super::encode::Reply;
use super::host::Host;
use super::watch::{Note, Slot, Watch};
use super::{Ghost, abi};
use crate::linux::process::Processes;

/// Names that the kernel is to drop, of one ghost.
pub(super) type Eviction = (Arc<Ghost>, Vec<(u64, Box<[u8]>)>);

/// What all threads of a pool share for answering.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) host: Host,
    pub(super) watch: Watch,
    pub(super) processes: Arc<Processes>,
    pub(super) evictions: SyncSender<Eviction>,
}

/// Why no answer was written by the handler itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Answer this error.
    Errno(Errno),
    /// The watchdog has answered.
    Overdue,
}

impl From<Errno> for Stop {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

/// Why the host gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// It said no.
    Errno(Errno),
    /// It was not asked.
    NotExamined,
    /// It took too long, and the watchdog has answered the request.
    Overdue,
}

/// What is owed for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owed {
    /// The reply.
    Reply,
    /// The reply, and if it does not arrive, a look-up of this node back.
    Entry(u64),
    /// Nothing.
    Nothing,
    /// Nothing, and the thread has been replaced.
    Overdue,
}

/// One request of one ghost.
pub(super) struct Call<'a> {
    pub(super) ghost: &'a Arc<Ghost>,
    pub(super) common: &'a Common,
    pub(super) slot: &'a Slot,
    pub(super) header: Header,
    pub(super) reply: &'a mut Reply,
}

/// Works out the answer to the bytes of one request.
pub(super) fn answer(
    ghost: &Arc<Ghost>,
    common: &Common,
    slot: &Slot,
    bytes: &[u8],
    reply: &mut Reply,
) -> Owed {
    let Request { header, body } = match decode(bytes) {
        Ok(request) => request,
        Err(Malformed {
            unique: Some(unique),
        }) => {
            reply.error(unique, Errno::INVAL);
            return Owed::Reply;
        }
        Err(Malformed { unique: None }) => return Owed::Nothing,
    };
    let mut call = Call {
        ghost,
        common,
        slot,
        header,
        reply,
    };
    match call.dispatch(&body) {
        Ok(owed) => owed,
        Err(Stop::Errno(errno)) => {
            call.reply.error(header.unique, errno);
            Owed::Reply
        }
        Err(Stop::Overdue) => Owed::Overdue,
    }
}

impl Call<'_> {
    fn dispatch(&mut self, body: &Body<'_>) -> Result<Owed, Stop> {
        match *body {
            Body::Lookup { name } => return self.lookup(name).map(Owed::Entry),
            Body::Forget { lookups } => {
                self.ghost.nodes().forget(self.header.node, lookups);
                return Ok(Owed::Nothing);
            }
            Body::BatchForget(ref forgets) => {
                let mut nodes = self.ghost.nodes();
                forgets
                    .iter()
                    .for_each(|(node, lookups)| nodes.forget(node, lookups));
                return Ok(Owed::Nothing);
            }
            Body::Silent => return Ok(Owed::Nothing),
            Body::Init {
                major,
                minor,
                readahead,
                flags,
            } => self.init(major, minor, readahead, flags)?,
            Body::GetAttr => self.getattr()?,
            Body::ReadLink => self.readlink()?,
            Body::Open { flags } => return Err(self.open(flags)?),
            Body::OpenDir => self.opendir()?,
            Body::ReadDir { offset, size } => self.readdir(offset, size)?,
            Body::Access { mask } => self.access(mask)?,
            Body::SetAttr { valid } => return Err(self.set_attributes(valid)?),
            Body::Make { name } => return Err(self.make(Some(name))?),
            Body::MakeUnnamed => return Err(self.make(None)?),
            Body::Remove { name } => return Err(self.remove(name)?),
            Body::Rename { name, to, new } => return Err(self.rename(name, to, new)?),
            Body::Link { from, name } => return Err(self.link(from, name)?),
            Body::ChangeXattr => return Err(self.change_xattr()?),
            // An overlay asks both; `ENOSYS` would be taken for a broken layer.
            Body::GetXattr => return Err(Errno::NODATA.into()),
            Body::ListXattr { size: 0 } => {
                self.reply.begin(self.header.unique).u32(0).u32(0).finish()
            }
            Body::ListXattr { .. } | Body::Acknowledge => {
                self.reply.begin(self.header.unique).finish()
            }
            Body::StatFs => self.reply.begin(self.header.unique).statfs(),
            Body::Data => return Err(Errno::ACCESS.into()),
            // The kernel never asks for such an operation again. Those that it
            // would then allow by itself (open, opendir, access) are above.
            Body::Unknown => return Err(Errno::NOSYS.into()),
        }
        Ok(Owed::Reply)
    }

    fn init(&mut self, major: u32, minor: u32, readahead: u32, flags: u32) -> Result<(), Stop> {
        if major < abi::MAJOR || (major == abi::MAJOR && minor < abi::MINOR) {
            return Err(Errno::PROTO.into());
        }
        // On most systems every path to a library leads through a link at the root.
        let wanted =
            abi::INIT_ATOMIC_O_TRUNC | abi::INIT_PARALLEL_DIROPS | abi::INIT_CACHE_SYMLINKS;
        self.reply
            .begin(self.header.unique)
            .init(readahead, flags & wanted);
        Ok(())
    }

    /// The path of a node.
    pub(super) fn path_of(&self, node: u64) -> Result<Vec<u8>, Stop> {
        let mut path = Vec::with_capacity(256);
        self.ghost
            .nodes()
            .path(node, &mut path)
            .map_err(|_| Errno::STALE)?;
        Ok(path)
    }

    /// The path of a name in a directory.
    pub(super) fn path_in(&self, directory: u64, name: &[u8]) -> Result<Vec<u8>, Stop> {
        let mut path = self.path_of(directory)?;
        if path != b"/" {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        if name.len() > abi::NAME_MAX || path.len() >= abi::PATH_MAX {
            return Err(Errno::NAMETOOLONG.into());
        }
        Ok(path)
    }

    /// Asks what the host has at `path`, not following a link there.
    pub(super) fn stat(&self, operation: Operation, path: &[u8]) -> Result<Stat, Unanswered> {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        self.ask(operation, path, || rustix::fs::statat(CWD, path, flags))
    }

    /// Asks the host about `path`, with a deadline. `operation` is what the
    /// entry says if it is missed.
    pub(super) fn ask<T>(
        &self,
        operation: Operation,
        path: &[u8],
        question: impl FnOnce() -> rustix::io::Result<T>,
    ) -> Result<T, Unanswered> {
        if !self.common.host.examines(path) {
            return Err(Unanswered::NotExamined);
        }
        self.slot.arm(Note {
            ghost: Arc::clone(self.ghost),
            unique: self.header.unique,
            thread: self.header.thread,
            operation,
            path: path.to_vec(),
        });
        self.common.watch.attend();
        let answer = question();
        if !self.slot.disarm() {
            self.common.watch.attend();
            return Err(Unanswered::Overdue);
        }
        answer.map_err(Unanswered::Errno)
    }
}
