//! What is taken from the command's process before it starts.

use crate::mounts::Failure;
use crate::sys;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, CapabilitySets};
use whybox_init::{Landlock, Message, Step};

/// Takes one step as the command's process.
pub(crate) fn step(step: &Step) -> Result<(), Failure> {
    match step {
        Step::OwnGroup { foreground } => own_group(*foreground),
        Step::WorkingDirectory { path } => Ok(rustix::process::chdir(path.as_c_str())?),
        Step::Limit { resource, value } => limit(*resource, *value),
        Step::Capabilities { keep } => capabilities(*keep),
        Step::NoNewPrivileges => Ok(rustix::thread::set_no_new_privs(true)?),
        Step::Landlock(set) => landlock(set),
        Step::Filter { program, listener } => filter(program, *listener),
        _ => Err(Errno::INVAL.into()),
    }
}

/// Part 1 the group, 2 the terminal. A process without a terminal has no foreground to take.
fn own_group(foreground: bool) -> Result<(), Failure> {
    rustix::process::setpgid(None, None).map_err(|errno| Failure { part: 1, errno })?;
    if !foreground {
        return Ok(());
    }
    let Ok(terminal) = rustix::fs::open(c"/dev/tty", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
    else {
        return Ok(());
    };
    // A group in the background that takes the terminal is sent SIGTTOU; it is blocked here, like all signals.
    sys::set_foreground(
        terminal.as_fd(),
        rustix::process::getpid().as_raw_nonzero().get(),
    )
    .map_err(|errno| Failure { part: 2, errno })
}

fn limit(resource: u32, value: u64) -> Result<(), Failure> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let resource = match resource {
        0 => Resource::Cpu,
        1 => Resource::Fsize,
        2 => Resource::Data,
        4 => Resource::Core,
        6 => Resource::Nproc,
        7 => Resource::Nofile,
        9 => Resource::As,
        _ => return Err(Errno::INVAL.into()),
    };
    // A limit never raises what the caller already had.
    let value = getrlimit(resource)
        .maximum
        .map_or(value, |maximum| maximum.min(value));
    Ok(setrlimit(
        resource,
        Rlimit {
            current: Some(value),
            maximum: Some(value),
        },
    )?)
}

/// Part 1 the bounding set, 2 the ambient set, 3 the process's own sets.
fn capabilities(keep: u64) -> Result<(), Failure> {
    for bit in 0..64u32 {
        if keep >> bit & 1 == 0 {
            match rustix::thread::remove_capability_from_bounding_set(
                CapabilitySet::from_bits_retain(1 << bit),
            ) {
                Ok(()) => {}
                // Past the last capability that this kernel knows.
                Err(Errno::INVAL) => break,
                Err(errno) => return Err(Failure { part: 1, errno }),
            }
        }
    }
    rustix::thread::clear_ambient_capability_set().map_err(|errno| Failure { part: 2, errno })?;
    let keep = CapabilitySet::from_bits_retain(keep);
    let sets = CapabilitySets {
        effective: keep,
        permitted: keep,
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, sets).map_err(|errno| Failure { part: 3, errno })
}

/// Part 1 the ruleset, 2 a rule, 3 standard input and output, 4 the restriction.
fn landlock(set: &Landlock) -> Result<(), Failure> {
    let part = |part| move |errno| Failure { part, errno };
    let ruleset = sys::landlock_create_ruleset(set.handled, set.scoped).map_err(part(1))?;
    for rule in &set.rules {
        match rustix::fs::open(
            rule.path.as_c_str(),
            OFlags::PATH | OFlags::CLOEXEC,
            Mode::empty(),
        ) {
            Ok(parent) => sys::landlock_add_rule(ruleset.as_fd(), rule.access, parent.as_fd())
                .map_err(part(2))?,
            Err(Errno::NOENT | Errno::ACCESS | Errno::NOTDIR) => {}
            Err(errno) => return Err(Failure { part: 2, errno }),
        }
    }
    for number in 0..3 {
        // SAFETY: borrowed for the length of this loop; a closed descriptor is an error of the call, no harm.
        let fd = unsafe { BorrowedFd::borrow_raw(number) };
        let (Ok(stat), Ok(opened)) = (rustix::fs::fstat(fd), rustix::fs::fcntl_getfl(fd)) else {
            continue;
        };
        let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
        // What was opened for reading gives no right to write, though it can be opened again through /proc.
        let writes = opened.intersects(OFlags::WRONLY | OFlags::RDWR);
        if writes && (kind.is_file() || kind.is_char_device()) {
            match sys::landlock_add_rule(ruleset.as_fd(), set.stdio, fd) {
                // A file that no path leads to needs no rule.
                Ok(()) | Err(Errno::BADFD | Errno::BADF) => {}
                Err(errno) => return Err(Failure { part: 3, errno }),
            }
        }
    }
    sys::landlock_restrict_self(ruleset.as_fd(), set.flags).map_err(part(4))
}

/// Part 1 the filter, 2 handing over its listener. `WAIT_KILLABLE_RECV` (Linux 5.19) is left out where
/// the kernel does not know it.
fn filter(program: &[u64], listener: bool) -> Result<(), Failure> {
    const NEW_LISTENER: usize = 1 << 3;
    const WAIT_KILLABLE_RECV: usize = 1 << 5;
    let part = |part| move |errno| Failure { part, errno };
    if !listener {
        return sys::seccomp(program, 0).map(drop).map_err(part(1));
    }
    let fd = match sys::seccomp(program, NEW_LISTENER | WAIT_KILLABLE_RECV) {
        Err(Errno::INVAL) => sys::seccomp(program, NEW_LISTENER),
        other => other,
    };
    let listener = sys::listener(fd.map_err(part(1))?);
    crate::control::send(Message::Listener, Some(listener.as_fd())).map_err(part(2))
}
