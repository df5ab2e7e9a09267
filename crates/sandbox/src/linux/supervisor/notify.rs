//! Seccomp user notification; see seccomp_unotify(2).
#![allow(unsafe_code)]

use std::os::fd::{AsFd, AsRawFd};

use rustix::io::Errno;

const RECV: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;
const SET_FLAGS: libc::c_ulong = 0x4008_2104;
/// The answer wakes the caller on this processor; Linux 6.6.
const SYNC_WAKE_UP: u64 = 1;

/// A refused call that waits for its answer: `struct seccomp_notif`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notification {
    pub(super) id: u64,
    /// The calling thread, as this process numbers it; 0 when it cannot be seen from here.
    pub(super) thread: u32,
    flags: u32,
    pub(super) number: i32,
    pub(super) architecture: u32,
    instruction: u64,
    pub(super) arguments: [u64; 6],
}

/// `struct seccomp_notif_resp`.
#[repr(C)]
struct Response {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

/// Makes answers cheaper where the kernel can.
pub(super) fn prefer_sync(listener: impl AsFd) {
    // SAFETY: the argument is a number. A kernel that does not know the request refuses it.
    unsafe { libc::ioctl(listener.as_fd().as_raw_fd(), SET_FLAGS, SYNC_WAKE_UP) };
}

/// Takes the next notification. `ENOENT` when its caller was killed meanwhile.
pub(super) fn receive(listener: impl AsFd) -> Result<Notification, Errno> {
    let mut notification = Notification::default();
    // SAFETY: a zeroed structure of the size that the request's number says.
    let result = unsafe { libc::ioctl(listener.as_fd().as_raw_fd(), RECV, &raw mut notification) };
    if result < 0 {
        Err(last())
    } else {
        Ok(notification)
    }
}

/// Refuses the call with an errno. `ENOENT` when its caller is gone.
pub(super) fn refuse(listener: impl AsFd, id: u64, errno: i32) -> Result<(), Errno> {
    let response = Response {
        id,
        value: 0,
        error: -errno,
        flags: 0,
    };
    // SAFETY: a structure of the size that the request's number says, only read.
    let result = unsafe { libc::ioctl(listener.as_fd().as_raw_fd(), SEND, &raw const response) };
    if result < 0 { Err(last()) } else { Ok(()) }
}

fn last() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
