//! The table of refused calls.
//!
//! Each row is a hard-deny class (L7), a call, the condition on its arguments, and the answer. What is in
//! no row is allowed by the filter and meets the kernel's own checks, mounts and Landlock.

use libc::c_long;

/// How a refused call is answered, by errno.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// `EPERM`: a denial.
    Refused,
    /// `ENOSYS`: as by a kernel without the call, so that libraries fall back; recorded as a probe.
    Missing,
    /// `ENOSYS` by the filter itself, without an entry: every program's library asks and falls back.
    MissingSilently,
}

/// When a call is refused. Arguments of 32 bits are compared without their upper half, which is garbage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Always.
    Always,
    /// When the argument shares a bit with the mask.
    AnyBit { argument: u8, mask: u32 },
    /// When the argument is this.
    Equals { argument: u8, value: u32 },
    /// When each of two arguments shares a bit with its mask.
    BothBits { one: (u8, u32), other: (u8, u32) },
    /// When the first argument (32 bits) and the other one (64 bits) are both not zero.
    BothSet { first: u8, other: u8 },
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Number on this architecture.
    pub(crate) number: c_long,
    /// Name, as in the manual.
    pub(crate) name: &'static str,
    /// The condition.
    pub(crate) when: When,
    /// The class by which it is lifted.
    pub(crate) class: &'static str,
    /// The answer.
    pub(crate) answer: Answer,
}

const fn row(
    class: &'static str,
    number: c_long,
    name: &'static str,
    when: When,
    answer: Answer,
) -> Call {
    Call {
        number,
        name,
        when,
        class,
        answer,
    }
}

/// A call that makes a file with a mode, when it would give it the set-user-ID bit. The mode is looked at only where
/// the flags say that there is one; elsewhere it is garbage.
const fn creates(number: c_long, name: &'static str, flags: u8, mode: u8) -> Call {
    let when = When::BothBits {
        one: (flags, CREATES),
        other: (mode, SET_USER_ID),
    };
    row("set-user-id", number, name, when, Answer::Refused)
}

/// A call that gives a mode, the same.
const fn gives_mode(number: c_long, name: &'static str, mode: u8) -> Call {
    row(
        "set-user-id",
        number,
        name,
        When::AnyBit {
            argument: mode,
            mask: SET_USER_ID,
        },
        Answer::Refused,
    )
}

/// A kind of socket that knows no network namespace.
const fn family(name: &'static str, value: u32) -> Call {
    row(
        "sockets",
        libc::SYS_socket,
        name,
        When::Equals { argument: 0, value },
        Answer::Refused,
    )
}

const fn always(class: &'static str, number: c_long, name: &'static str) -> Call {
    row(class, number, name, When::Always, Answer::Refused)
}

/// `CLONE_NEW*`: time, mount, cgroup, uts, ipc, user, pid, net.
pub(crate) const NEW_NAMESPACES: u32 = 0x0000_0080
    | 0x0002_0000
    | 0x0200_0000
    | 0x0400_0000
    | 0x0800_0000
    | 0x1000_0000
    | 0x2000_0000
    | 0x4000_0000;
/// The same for `clone`, whose lowest byte is a signal (`CLONE_NEWTIME` cannot be given to it).
const NEW_NAMESPACES_CLONE: u32 = NEW_NAMESPACES & !0x80;

/// The mode bit with which a program runs as its owner; see chmod(2).
const SET_USER_ID: u32 = 0o4000;
/// `O_CREAT`, and the bit that is `O_TMPFILE`'s own; see open(2).
const CREATES: u32 = 0o100 | 0o20_000_000;

/// Pushes characters into a terminal's input; see ioctl_tty(2).
pub(crate) const TIOCSTI: u32 = 0x5412;
/// Pastes a virtual console's selection as input; see ioctl_console(2).
pub(crate) const TIOCLINUX: u32 = 0x541c;

/// The highest call that this table knows of (`file_setattr`); the kernel's later ones answer `ENOSYS`.
pub(crate) const NEWEST: c_long = 469;

// Calls since Linux 5.1 have one number on every architecture, and libc may not name the newest.
const FCHMODAT2: c_long = 452;
const OPEN_TREE_ATTR: c_long = 467;

/// The rows. Those whose arguments are looked at come first: the kernel remembers which calls are always
/// allowed, so that only these cost anything, and less the earlier they stand.
#[rustfmt::skip]
pub(crate) const CALLS: &[Call] = &[
    creates(libc::SYS_openat, "openat", 2, 3),
    #[cfg(target_arch = "x86_64")]
    creates(libc::SYS_open, "open", 1, 2),
    row("terminal-injection", libc::SYS_ioctl, "ioctl", When::Equals { argument: 1, value: TIOCSTI }, Answer::Refused),
    row("terminal-injection", libc::SYS_ioctl, "ioctl", When::Equals { argument: 1, value: TIOCLINUX }, Answer::Refused),
    family("socket(AF_VSOCK)", libc::AF_VSOCK as u32),
    family("socket(AF_BLUETOOTH)", libc::AF_BLUETOOTH as u32),
    family("socket(AF_TIPC)", libc::AF_TIPC as u32),
    family("socket(AF_RDS)", libc::AF_RDS as u32),
    family("socket(AF_NFC)", libc::AF_NFC as u32),
    #[cfg(target_arch = "x86_64")]
    gives_mode(libc::SYS_chmod, "chmod", 1),
    gives_mode(libc::SYS_fchmod, "fchmod", 1),
    gives_mode(libc::SYS_fchmodat, "fchmodat", 2),
    gives_mode(FCHMODAT2, "fchmodat2", 2),
    #[cfg(target_arch = "x86_64")]
    gives_mode(libc::SYS_creat, "creat", 1),
    #[cfg(target_arch = "x86_64")]
    gives_mode(libc::SYS_mknod, "mknod", 1),
    gives_mode(libc::SYS_mknodat, "mknodat", 2),
    row("namespaces", libc::SYS_clone, "clone", When::AnyBit { argument: 0, mask: NEW_NAMESPACES_CLONE }, Answer::Refused),
    row("namespaces", libc::SYS_unshare, "unshare", When::AnyBit { argument: 0, mask: NEW_NAMESPACES }, Answer::Refused),
    row("process-limits", libc::SYS_prlimit64, "prlimit64", When::BothSet { first: 0, other: 2 }, Answer::Refused),
    // Its flags lie in memory, where they can change after the check; libraries fall back to clone(2).
    row("namespaces", libc::SYS_clone3, "clone3", When::Always, Answer::MissingSilently),
    always("namespaces", libc::SYS_setns, "setns"),
    always("mounts", libc::SYS_mount, "mount"),
    always("mounts", libc::SYS_umount2, "umount2"),
    always("mounts", libc::SYS_pivot_root, "pivot_root"),
    always("mounts", libc::SYS_open_tree, "open_tree"),
    always("mounts", OPEN_TREE_ATTR, "open_tree_attr"),
    always("mounts", libc::SYS_move_mount, "move_mount"),
    always("mounts", libc::SYS_fsopen, "fsopen"),
    always("mounts", libc::SYS_fsconfig, "fsconfig"),
    always("mounts", libc::SYS_fsmount, "fsmount"),
    always("mounts", libc::SYS_fspick, "fspick"),
    always("mounts", libc::SYS_mount_setattr, "mount_setattr"),
    always("ptrace", libc::SYS_ptrace, "ptrace"),
    always("ptrace", libc::SYS_process_vm_readv, "process_vm_readv"),
    always("ptrace", libc::SYS_process_vm_writev, "process_vm_writev"),
    always("ptrace", libc::SYS_pidfd_getfd, "pidfd_getfd"),
    always("ptrace", libc::SYS_process_madvise, "process_madvise"),
    always("ptrace", libc::SYS_kcmp, "kcmp"),
    row("io-uring", libc::SYS_io_uring_setup, "io_uring_setup", When::Always, Answer::Missing),
    row("io-uring", libc::SYS_io_uring_enter, "io_uring_enter", When::Always, Answer::Missing),
    row("io-uring", libc::SYS_io_uring_register, "io_uring_register", When::Always, Answer::Missing),
    always("bpf", libc::SYS_bpf, "bpf"),
    always("perf", libc::SYS_perf_event_open, "perf_event_open"),
    always("userfaultfd", libc::SYS_userfaultfd, "userfaultfd"),
    always("keyrings", libc::SYS_add_key, "add_key"),
    always("keyrings", libc::SYS_request_key, "request_key"),
    always("keyrings", libc::SYS_keyctl, "keyctl"),
    always("file-handles", libc::SYS_open_by_handle_at, "open_by_handle_at"),
    always("kernel", libc::SYS_init_module, "init_module"),
    always("kernel", libc::SYS_finit_module, "finit_module"),
    always("kernel", libc::SYS_delete_module, "delete_module"),
    always("kernel", libc::SYS_kexec_load, "kexec_load"),
    always("kernel", libc::SYS_kexec_file_load, "kexec_file_load"),
    always("kernel", libc::SYS_reboot, "reboot"),
    always("kernel", libc::SYS_swapon, "swapon"),
    always("kernel", libc::SYS_swapoff, "swapoff"),
    always("kernel", libc::SYS_syslog, "syslog"),
    always("kernel", libc::SYS_acct, "acct"),
    always("kernel", libc::SYS_settimeofday, "settimeofday"),
    always("kernel", libc::SYS_clock_settime, "clock_settime"),
    always("kernel", libc::SYS_quotactl, "quotactl"),
    always("kernel", libc::SYS_vhangup, "vhangup"),
    #[cfg(target_arch = "x86_64")]
    always("kernel", libc::SYS_iopl, "iopl"),
    #[cfg(target_arch = "x86_64")]
    always("kernel", libc::SYS_ioperm, "ioperm"),
];

impl Call {
    /// The rows that refuse a call with these arguments, first match.
    pub(crate) fn find(number: c_long, arguments: &[u64; 6]) -> Option<&'static Call> {
        CALLS
            .iter()
            .find(|call| call.number == number && call.when.holds(arguments))
    }

    /// The errno of the answer.
    pub(crate) fn errno(&self) -> i32 {
        match self.answer {
            Answer::Refused => libc::EPERM,
            Answer::Missing | Answer::MissingSilently => libc::ENOSYS,
        }
    }
}

impl When {
    /// Whether a call with these arguments is refused: the same test as the filter's, for the supervisor.
    pub(crate) fn holds(self, arguments: &[u64; 6]) -> bool {
        let whole = |index: u8| {
            arguments
                .get(usize::from(index))
                .copied()
                .unwrap_or_default()
        };
        let low = |index: u8| whole(index) as u32;
        match self {
            When::Always => true,
            When::AnyBit { argument, mask } => low(argument) & mask != 0,
            When::Equals { argument, value } => low(argument) == value,
            When::BothBits { one, other } => low(one.0) & one.1 != 0 && low(other.0) & other.1 != 0,
            When::BothSet { first, other } => low(first) != 0 && whole(other) != 0,
        }
    }
}
