//! The control socket to the harness.

use core::mem::MaybeUninit;
use rustix::fd::BorrowedFd;
use rustix::io::{Errno, IoSlice};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use whybox_init::{CONTROL_FD, Message, Order, Stage};

/// The socket. It is open for as long as the program runs.
pub(crate) fn socket() -> BorrowedFd<'static> {
    // SAFETY: the harness starts this program with the socket there, and nothing closes it.
    unsafe { BorrowedFd::borrow_raw(CONTROL_FD) }
}

/// Sends a message, with a descriptor where it carries one.
pub(crate) fn send(message: Message, fd: Option<BorrowedFd<'_>>) -> Result<(), Errno> {
    let bytes = message.encode();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let fds = fd.as_slice();
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(Errno::NOBUFS);
    }
    sendmsg(
        socket(),
        &[IoSlice::new(&bytes)],
        &mut ancillary,
        SendFlags::NOSIGNAL,
    )
    .map(drop)
}

/// Reports that a step failed.
pub(crate) fn report(stage: Stage, step: usize, part: u32, errno: Errno) {
    // A harness that is gone has nothing left to be told.
    let _ = send(
        Message::Failed {
            stage,
            step: step as u32,
            part,
            errno: errno.raw_os_error(),
        },
        None,
    );
}

/// Reports that a step failed, and ends the process. The command never runs.
pub(crate) fn fail(stage: Stage, step: usize, part: u32, errno: Errno) -> ! {
    report(stage, step, part, errno);
    exit(125)
}

/// What PID 1 found on the socket.
pub(crate) enum Received {
    /// Something to do.
    Order(Order),
    /// Nothing now.
    Nothing,
    /// The harness is gone.
    Closed,
}

/// Reads one order without waiting.
pub(crate) fn receive() -> Received {
    let mut bytes = [0u8; whybox_init::MESSAGE_BYTES];
    match rustix::net::recv(socket(), &mut bytes, rustix::net::RecvFlags::DONTWAIT) {
        Ok((_, 0)) => Received::Closed,
        Ok((_, length)) => bytes
            .get(..length)
            .and_then(Order::decode)
            .map_or(Received::Nothing, Received::Order),
        Err(Errno::AGAIN | Errno::INTR) => Received::Nothing,
        Err(_) => Received::Closed,
    }
}

/// Waits for an order; `None` when the harness is gone.
pub(crate) fn wait() -> Option<Order> {
    let mut bytes = [0u8; whybox_init::MESSAGE_BYTES];
    loop {
        match rustix::net::recv(socket(), &mut bytes, rustix::net::RecvFlags::empty()) {
            Ok((_, length)) => return bytes.get(..length).and_then(Order::decode),
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Ends this process at once.
pub(crate) fn exit(status: i32) -> ! {
    crate::sys::exit_group(status)
}
