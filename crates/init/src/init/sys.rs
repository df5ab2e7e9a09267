//! The system calls for which rustix has no function.

use core::arch::asm;
use core::ffi::{CStr, c_char};
use rustix::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::io::Errno;

#[cfg(target_arch = "x86_64")]
mod number {
    pub(super) const IOCTL: usize = 16;
    pub(super) const EXECVE: usize = 59;
    pub(super) const SECCOMP: usize = 317;
    pub(super) const SIGNALFD4: usize = 289;
    pub(super) const RT_SIGPROCMASK: usize = 14;
    pub(super) const RT_SIGACTION: usize = 13;
    pub(super) const WAIT4: usize = 61;
    pub(super) const EXIT_GROUP: usize = 231;
}
#[cfg(target_arch = "aarch64")]
mod number {
    pub(super) const IOCTL: usize = 29;
    pub(super) const EXECVE: usize = 221;
    pub(super) const SECCOMP: usize = 277;
    pub(super) const SIGNALFD4: usize = 74;
    pub(super) const RT_SIGPROCMASK: usize = 135;
    pub(super) const RT_SIGACTION: usize = 134;
    pub(super) const WAIT4: usize = 260;
    pub(super) const EXIT_GROUP: usize = 94;
}
// The same on every architecture since Linux 5.1.
const CLONE3: usize = 435;
const CLOSE_RANGE: usize = 436;
const MOUNT_SETATTR: usize = 442;
#[cfg(target_arch = "x86_64")]
const DUP3: usize = 292;
#[cfg(target_arch = "aarch64")]
const DUP3: usize = 24;
const LANDLOCK_CREATE_RULESET: usize = 444;
const LANDLOCK_ADD_RULE: usize = 445;
const LANDLOCK_RESTRICT_SELF: usize = 446;

/// # Safety
/// As for the call itself: pointers among the arguments must be what it expects.
unsafe fn syscall(number: usize, a: [usize; 5]) -> Result<usize, Errno> {
    let result: isize;
    // SAFETY: the kernel's calling convention; it clobbers only what is named here.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!("syscall", inlateout("rax") number as isize => result,
            in("rdi") a[0], in("rsi") a[1], in("rdx") a[2], in("r10") a[3], in("r8") a[4],
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!("svc #0", in("x8") number, inlateout("x0") a[0] as isize => result,
            in("x1") a[1], in("x2") a[2], in("x3") a[3], in("x4") a[4], options(nostack));
    }
    if result < 0 {
        Err(Errno::from_raw_os_error(-(result as i32)))
    } else {
        Ok(result as usize)
    }
}

/// # Safety
/// `fd` must be a descriptor that a call has just returned.
unsafe fn owned(fd: usize) -> OwnedFd {
    // SAFETY: the caller's promise.
    unsafe { OwnedFd::from_raw_fd(fd as i32) }
}

/// Which process a [`clone3`] starts.
pub(crate) enum Child {
    /// A child of this process.
    Mine,
    /// A sibling: its parent is this one's; comes with its pidfd.
    Sibling,
}

#[repr(C)]
#[derive(Default)]
struct CloneArguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
}

/// See clone3(2), as a fork. Gives 0 in the child.
pub(crate) fn clone3(child: Child) -> Result<(i32, Option<OwnedFd>), Errno> {
    const PIDFD: u64 = 0x1000;
    const PARENT: u64 = 0x8000;
    const SIGCHLD: u64 = 17;
    let mut pidfd = -1i32;
    let arguments = match child {
        Child::Mine => CloneArguments {
            exit_signal: SIGCHLD,
            ..CloneArguments::default()
        },
        Child::Sibling => CloneArguments {
            flags: PIDFD | PARENT,
            pidfd: (&raw mut pidfd) as u64,
            ..CloneArguments::default()
        },
    };
    // SAFETY: without CLONE_VM the child has its own copy of everything, and this program has one thread.
    let pid = unsafe {
        syscall(
            CLONE3,
            [
                (&raw const arguments) as usize,
                size_of::<CloneArguments>(),
                0,
                0,
                0,
            ],
        )
    }?;
    // SAFETY: the kernel wrote a descriptor there in the parent.
    let pidfd = (pid != 0 && pidfd >= 0).then(|| unsafe { owned(pidfd as usize) });
    Ok((pid as i32, pidfd))
}

/// See close_range(2). Nothing here may own what lies there.
pub(crate) fn close_range(first: u32, last: u32) -> Result<(), Errno> {
    // SAFETY: no pointers.
    unsafe { syscall(CLOSE_RANGE, [first as usize, last as usize, 0, 0, 0]) }.map(drop)
}

/// The same, but what lies there is closed by `execve`; Linux 5.11.
pub(crate) fn close_on_exec(first: u32) -> Result<(), Errno> {
    const CLOEXEC: usize = 4;
    // SAFETY: no pointers.
    unsafe {
        syscall(
            CLOSE_RANGE,
            [first as usize, u32::MAX as usize, CLOEXEC, 0, 0],
        )
    }
    .map(drop)
}

/// See dup3(2): `number`, a standard stream, becomes a copy of `fd`.
pub(crate) fn dup_to(fd: BorrowedFd<'_>, number: u32) -> Result<(), Errno> {
    // SAFETY: no pointers; what was there is the command's stream, which nothing here owns.
    unsafe { syscall(DUP3, [fd.as_raw_fd() as usize, number as usize, 0, 0, 0]) }.map(drop)
}

/// See mount_setattr(2): sets attributes on a tree.
pub(crate) fn mount_setattr(tree: BorrowedFd<'_>, attributes: u64) -> Result<(), Errno> {
    const EMPTY_PATH: usize = 0x1000;
    const RECURSIVE: usize = 0x8000;
    let values = [attributes, 0, 0, 0];
    // SAFETY: an empty path, and a structure of the size given.
    unsafe {
        syscall(
            MOUNT_SETATTR,
            [
                tree.as_raw_fd() as usize,
                c"".as_ptr() as usize,
                EMPTY_PATH | RECURSIVE,
                values.as_ptr() as usize,
                32,
            ],
        )
    }
    .map(drop)
}

/// See landlock_create_ruleset(2). What the kernel does not know must not be asked for.
pub(crate) fn landlock_create_ruleset(handled: u64, scoped: u64) -> Result<OwnedFd, Errno> {
    let attributes = [handled, 0, scoped];
    // An older kernel takes a shorter structure only.
    let size = if scoped != 0 { 24 } else { 8 };
    // SAFETY: a structure of the size given; the result is a descriptor.
    unsafe {
        syscall(
            LANDLOCK_CREATE_RULESET,
            [attributes.as_ptr() as usize, size, 0, 0, 0],
        )
        .map(|fd| owned(fd))
    }
}

/// See landlock_add_rule(2): allows `access` beneath `parent`.
pub(crate) fn landlock_add_rule(
    ruleset: BorrowedFd<'_>,
    access: u64,
    parent: BorrowedFd<'_>,
) -> Result<(), Errno> {
    const PATH_BENEATH: usize = 1;
    #[repr(C, packed)]
    struct Rule {
        access: u64,
        parent: i32,
    }
    let rule = Rule {
        access,
        parent: parent.as_raw_fd(),
    };
    // SAFETY: a structure as the call expects it.
    unsafe {
        syscall(
            LANDLOCK_ADD_RULE,
            [
                ruleset.as_raw_fd() as usize,
                PATH_BENEATH,
                (&raw const rule) as usize,
                0,
                0,
            ],
        )
    }
    .map(drop)
}

/// See landlock_restrict_self(2).
pub(crate) fn landlock_restrict_self(ruleset: BorrowedFd<'_>, flags: u32) -> Result<(), Errno> {
    // SAFETY: no pointers.
    unsafe {
        syscall(
            LANDLOCK_RESTRICT_SELF,
            [ruleset.as_raw_fd() as usize, flags as usize, 0, 0, 0],
        )
    }
    .map(drop)
}

/// See seccomp(2). With a listener its descriptor comes back.
pub(crate) fn seccomp(program: &[u64], flags: usize) -> Result<usize, Errno> {
    const SET_MODE_FILTER: usize = 1;
    #[repr(C)]
    struct Program {
        length: u16,
        filter: *const u64,
    }
    let program = Program {
        length: program.len() as u16,
        filter: program.as_ptr(),
    };
    // SAFETY: a `sock_fprog` whose instructions are 8 bytes each.
    unsafe {
        syscall(
            number::SECCOMP,
            [SET_MODE_FILTER, flags, (&raw const program) as usize, 0, 0],
        )
    }
}

/// Takes over a descriptor that [`seccomp`] returned.
pub(crate) fn listener(fd: usize) -> OwnedFd {
    // SAFETY: the filter was installed with NEW_LISTENER, so it is one.
    unsafe { owned(fd) }
}

/// See signalfd(2).
pub(crate) fn signalfd(mask: u64) -> Result<OwnedFd, Errno> {
    const NONBLOCK_CLOEXEC: usize = 0o2_004_000;
    // SAFETY: a signal set of 8 bytes; the result is a descriptor.
    unsafe {
        syscall(
            number::SIGNALFD4,
            [
                usize::MAX,
                (&raw const mask) as usize,
                8,
                NONBLOCK_CLOEXEC,
                0,
            ],
        )
        .map(|fd| owned(fd))
    }
}

/// See sigprocmask(2): replaces the mask.
pub(crate) fn sigprocmask(mask: u64) -> Result<(), Errno> {
    const SETMASK: usize = 2;
    // SAFETY: a signal set of 8 bytes; the one before is not asked for.
    unsafe {
        syscall(
            number::RT_SIGPROCMASK,
            [SETMASK, (&raw const mask) as usize, 0, 8, 0],
        )
    }
    .map(drop)
}

/// See sigaction(2): sets a signal to its default.
pub(crate) fn signal_default(signal: i32) -> Result<(), Errno> {
    let action = [0u64; 4];
    // SAFETY: an all-zero `struct sigaction` means SIG_DFL and an empty mask.
    unsafe {
        syscall(
            number::RT_SIGACTION,
            [signal as usize, action.as_ptr() as usize, 0, 8, 0],
        )
    }
    .map(drop)
}

/// See wait4(2): any child that ended or stopped, without waiting. `None` when there is none now.
pub(crate) fn wait() -> Result<Option<(i32, i32)>, Errno> {
    const NOHANG_UNTRACED: usize = 3;
    let mut status = 0i32;
    // SAFETY: the status is written to an integer of ours.
    let pid = unsafe {
        syscall(
            number::WAIT4,
            [
                usize::MAX,
                (&raw mut status) as usize,
                NOHANG_UNTRACED,
                0,
                0,
            ],
        )
    }? as i32;
    Ok((pid != 0).then_some((pid, status)))
}

/// See execve(2). Returns only on failure.
///
/// # Safety
/// Both arrays must be closed by a null pointer and hold pointers to C strings.
pub(crate) unsafe fn execve(
    path: &CStr,
    argv: *const *const c_char,
    envp: *const *const c_char,
) -> Errno {
    // SAFETY: the caller's promise.
    match unsafe {
        syscall(
            number::EXECVE,
            [path.as_ptr() as usize, argv as usize, envp as usize, 0, 0],
        )
    } {
        Ok(_) => Errno::NOTRECOVERABLE,
        Err(errno) => errno,
    }
}

/// See netdevice(7): brings an interface of this network namespace up.
pub(crate) fn interface_up(socket: BorrowedFd<'_>, name: &[u8]) -> Result<(), Errno> {
    const SIOCSIFFLAGS: usize = 0x8914;
    const UP_RUNNING: u16 = 0x41;
    let mut request = [0u8; 40];
    request[..name.len().min(15)].copy_from_slice(&name[..name.len().min(15)]);
    request[16..18].copy_from_slice(&UP_RUNNING.to_ne_bytes());
    // SAFETY: a `struct ifreq` of 40 bytes: the name, then the flags.
    unsafe {
        syscall(
            number::IOCTL,
            [
                socket.as_raw_fd() as usize,
                SIOCSIFFLAGS,
                request.as_ptr() as usize,
                0,
                0,
            ],
        )
    }
    .map(drop)
}

/// See tcsetpgrp(3): makes a group the foreground group.
pub(crate) fn set_foreground(terminal: BorrowedFd<'_>, group: i32) -> Result<(), Errno> {
    const TIOCSPGRP: usize = 0x5410;
    // SAFETY: the request reads one integer.
    unsafe {
        syscall(
            number::IOCTL,
            [
                terminal.as_raw_fd() as usize,
                TIOCSPGRP,
                (&raw const group) as usize,
                0,
                0,
            ],
        )
    }
    .map(drop)
}

/// See _exit(2).
pub(crate) fn exit_group(status: i32) -> ! {
    loop {
        // SAFETY: no pointers; the call does not return.
        let _ = unsafe { syscall(number::EXIT_GROUP, [status as usize, 0, 0, 0, 0]) };
    }
}
