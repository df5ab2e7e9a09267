//! The ghost: a FUSE file system that has every name of the host, refuses
//! everything, and says so. It is the root of a cage; what is granted is
//! mounted over it, so an allowed operation never comes here.
//!
//! | file | is about |
//! |---|---|
//! | `view`, `attributes`, `reason` | what a cage sees, what `stat` answers, why |
//! | `nodes` | the ids that the kernel holds |
//! | `call` and its `names`, `open`, `change`, `refuse` | answering one request |
//! | `abi`, `decode`, `encode` | the protocol |
//! | `host`, `mounts`, `watch` | asking the host without being stopped by it |
//! | `pool` | the threads that serve all ghosts of a harness |

mod abi;
mod attributes;
mod call;
mod change;
mod decode;
mod encode;
mod host;
mod mounts;
mod names;
mod nodes;
mod open;
mod pool;
mod reason;
mod refuse;
#[cfg(test)]
mod tests;
mod view;
mod watch;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rustix::io::Errno;
use whybox_record::Event;

pub(crate) use attributes::NodeKind;
pub(crate) use pool::{Attendant, Pool, Ticket};
pub(crate) use reason::Reasons;
pub(crate) use view::View;

use nodes::Nodes;

/// Nodes that are remembered besides the mount points, before the oldest are
/// taken from the kernel again. At 255 bytes a name that is some 25 MiB.
const NODES: usize = 50_000;

/// Takes what a witness saw.
pub(crate) trait Sink: Send + Sync {
    /// Keeps the event. It is called before the program is answered, so that
    /// no refusal is known to it and not to the record.
    fn record(&self, event: Event);
}

/// The ghost of one cage.
pub(crate) struct Ghost {
    device: Mutex<Device>,
    view: View,
    /// User and group of the harness.
    user: (u32, u32),
    nodes: Mutex<Nodes>,
    reasons: Reasons,
    sink: Arc<dyn Sink>,
}

/// The connection to the kernel.
enum Device {
    Open(Arc<OwnedFd>),
    /// Given up, but a thread may still be using it.
    Closing(Weak<OwnedFd>),
}

/// What became of one attempt to serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    /// A request was dealt with.
    One,
    /// None is queued.
    Nothing,
    /// The connection is gone: unmounted or aborted.
    Closed,
    /// The request was answered by the watchdog, long ago: this thread has
    /// been replaced.
    Overdue,
}

impl Ghost {
    /// The ghost behind `device`, the mounted descriptor of `/dev/fuse`, which
    /// must not block.
    ///
    /// Mount it read-write (a read-only mount refuses without a word) and with
    /// `allow_other`, or the kernel refuses other users of the cage by itself;
    /// without `default_permissions`, for the same reason.
    pub(crate) fn new(device: OwnedFd, view: View, sink: Arc<dyn Sink>) -> Arc<Self> {
        Self::with_node_limit(device, view, sink, NODES)
    }

    fn with_node_limit(
        device: OwnedFd,
        view: View,
        sink: Arc<dyn Sink>,
        limit: usize,
    ) -> Arc<Self> {
        let shadows = view.shadow.iter().map(|path| (path, &NodeKind::Directory));
        let fixed = view
            .fixed
            .iter()
            .map(|(path, kind)| (path, kind))
            .chain(shadows);
        let nodes = Nodes::new(
            fixed.map(|(path, kind)| (path.as_os_str().as_bytes(), *kind)),
            limit,
        );
        Arc::new(Self {
            device: Mutex::new(Device::Open(Arc::new(device))),
            view,
            user: (
                rustix::process::geteuid().as_raw(),
                rustix::process::getegid().as_raw(),
            ),
            nodes: Mutex::new(nodes),
            reasons: Reasons::default(),
            sink,
        })
    }

    /// Ends the connection: every process that waits for an answer gets
    /// `ECONNABORTED` and can be killed. What comes later fails the same way.
    ///
    /// This works without privileges, because the kernel aborts a connection
    /// with the last descriptor of it: the harness must hold the only one. It
    /// may take until an eviction in progress ends, at most a second.
    pub(crate) fn abort(&self) {
        let mut device = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        if let Device::Open(open) = &*device {
            let closing = Arc::downgrade(open);
            *device = Device::Closing(closing);
        }
    }

    /// The descriptor, for one system call.
    pub(crate) fn device(&self) -> Option<Arc<OwnedFd>> {
        match &*self.device.lock().unwrap_or_else(PoisonError::into_inner) {
            Device::Open(device) => Some(Arc::clone(device)),
            Device::Closing(device) => device.upgrade(),
        }
    }

    /// Reads one request, if there is one.
    fn receive(&self, buffer: &mut [u8]) -> io::Result<Received> {
        loop {
            let Some(device) = self.device() else {
                return Ok(Received::Closed);
            };
            return match rustix::io::read(&device, &mut *buffer) {
                Ok(0) => Ok(Received::Nothing),
                Ok(length) => Ok(Received::Request(length)),
                // The last three: taken back, or answered by the kernel since
                // it is larger than any buffer.
                Err(Errno::INTR | Errno::NOENT | Errno::IO | Errno::TOOBIG) => continue,
                Err(Errno::AGAIN) => Ok(Received::Nothing),
                Err(Errno::NODEV | Errno::CONNABORTED) => Ok(Received::Closed),
                // Not mounted yet.
                Err(Errno::PERM) => Ok(Received::Nothing),
                Err(errno) => Err(errno.into()),
            };
        }
    }

    /// Sends an answer or a notification; false when nobody waits for it.
    fn send(&self, message: &[u8]) -> bool {
        let Some(device) = self.device() else {
            return false;
        };
        loop {
            match rustix::io::write(&device, message) {
                Err(Errno::INTR) => {}
                result => return result.is_ok(),
            }
        }
    }

    fn nodes(&self) -> MutexGuard<'_, Nodes> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Ghost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ghost").finish_non_exhaustive()
    }
}

/// What reading the device gave.
enum Received {
    Request(usize),
    Nothing,
    Closed,
}
