//! Carrying out the plan: three processes, one after another.

use crate::control;
use crate::mounts::{Failure, Mounts, propagate};
use crate::program::{self, Strings};
use crate::streams::{self, Again};
use crate::sys::{self, Child};
use crate::{confine, copies, dev, ids, network, reap, tmp};
use alloc::vec::Vec;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use rustix::mount::MountPropagationFlags;
use rustix::pipe::PipeFlags;
use whybox_init::{DIRECTORY_AS_STREAM, Message, PLAN_FD, Plan, Stage, Step};

/// The whole program.
pub(crate) fn run() -> ! {
    const SIGCHLD: i32 = 17;
    let failed = |errno| -> ! { control::fail(Stage::Start, 0, 0, errno) };
    // The memory file has no name that would tell people what this process is.
    let _ = rustix::thread::set_name(c"whybox-init");
    // A harness that ignores the end of its children passes that on; PID 1 would then never hear of the command's.
    let _ = sys::signal_default(SIGCHLD);
    streams::fill();
    if let Err(errno) = streams::check() {
        control::fail(Stage::Start, 0, DIRECTORY_AS_STREAM, errno);
    }
    let bytes = match map_plan() {
        Ok(bytes) => bytes,
        Err(errno) => failed(errno),
    };
    let (plan, used) = match Plan::decode(bytes) {
        Ok(decoded) => decoded,
        Err(_) => failed(Errno::INVAL),
    };
    let strings = match program::strings(&plan.program, bytes.get(used..).unwrap_or_default()) {
        Ok(strings) => strings,
        Err(errno) => failed(errno),
    };
    // Nothing of the harness goes in.
    if let Err(errno) = sys::close_range(PLAN_FD as u32, u32::MAX) {
        failed(errno);
    }
    let (mut mounts, mut again) = (Mounts::default(), Vec::new());
    each(Stage::Outer, &plan.outer, |step| {
        outer(&mut mounts, &mut again, step)
    });
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    each(Stage::Build, &plan.build, |step| build(&mut mounts, step));
    drop(mounts);
    start(&plan, strings, &again)
}

fn each(stage: Stage, steps: &[Step], mut take: impl FnMut(&Step) -> Result<(), Failure>) {
    for (index, step) in steps.iter().enumerate() {
        if let Err(Failure { part, errno }) = take(step) {
            control::fail(stage, index, part, errno);
        }
    }
}

fn map_plan() -> Result<&'static [u8], Errno> {
    use rustix::mm::{MapFlags, ProtFlags, mmap};
    // SAFETY: the harness starts this program with the plan there; the descriptor is borrowed for this call.
    let file = unsafe { BorrowedFd::borrow_raw(PLAN_FD) };
    let length = usize::try_from(rustix::fs::fstat(file)?.st_size).map_err(|_| Errno::FBIG)?;
    // SAFETY: a new mapping, never unmapped. The harness has sealed the file, so that it does not change.
    unsafe {
        let address = mmap(
            core::ptr::null_mut(),
            length,
            ProtFlags::READ,
            MapFlags::SHARED,
            file,
            0,
        )?;
        Ok(core::slice::from_raw_parts(address.cast::<u8>(), length))
    }
}

/// A step of the first process.
fn outer(mounts: &mut Mounts, again: &mut Vec<Again>, step: &Step) -> Result<(), Failure> {
    match step {
        Step::Unshare { flags } => Ok(ids::enter(*flags)?),
        Step::MapIds {
            by_harness: true, ..
        } => ids::mapped(),
        Step::MapIds {
            uid_map,
            gid_map,
            by_harness: false,
        } => ids::map(uid_map, gid_map),
        Step::PrivateMounts => {
            propagate(MountPropagationFlags::PRIVATE)?;
            *again = streams::guard();
            Ok(())
        }
        Step::MountGhost { uid, gid } => mounts.mount_ghost(*uid, *gid),
        Step::CloneTree {
            slot,
            path,
            attributes,
        } => mounts.clone_tree(*slot, path, *attributes),
        Step::AttachGhost { aside } => Ok(mounts.attach_ghost(aside)?),
        Step::CloneGhost { slot, at } => Ok(mounts.clone_ghost(*slot, at)?),
        Step::EnterPidNamespace => enter_pid_namespace(),
        _ => Err(Errno::INVAL.into()),
    }
}

/// Part 1 the namespace, 2 the process, 3 telling the harness. Only PID 1 returns; its parent is the harness.
fn enter_pid_namespace() -> Result<(), Failure> {
    const CLONE_NEWPID: u32 = 0x2000_0000;
    ids::enter(CLONE_NEWPID).map_err(|errno| Failure { part: 1, errno })?;
    match sys::clone3(Child::Sibling) {
        Ok((0, _)) => Ok(()),
        Ok((pid, pidfd)) => {
            match control::send(Message::Init { pid }, pidfd.as_ref().map(AsFd::as_fd)) {
                Ok(()) => control::exit(0),
                Err(errno) => Err(Failure { part: 3, errno }),
            }
        }
        Err(errno) => Err(Failure { part: 2, errno }),
    }
}

/// A step of PID 1.
fn build(mounts: &mut Mounts, step: &Step) -> Result<(), Failure> {
    match step {
        Step::Attach { slot, at } => Ok(mounts.attach(*slot, at)?),
        Step::MountProc { at, read_only } => mounts.mount_proc(at, read_only),
        Step::MountDev {
            at,
            first_slot,
            devices,
        } => dev::mount(mounts, at, *first_slot, devices),
        Step::MountCopies { at, files } => copies::mount(mounts, at, files),
        Step::MountTmp {
            at,
            borrow,
            aside,
            plain: false,
            ..
        } => tmp::overlay(mounts, at, borrow, aside),
        Step::MountTmp {
            at,
            plain: true,
            directories,
            files,
            ..
        } => tmp::plain(mounts, at, directories, files),
        Step::Pivot => Ok(mounts.pivot()?),
        Step::SharedMounts => Ok(propagate(MountPropagationFlags::SHARED)?),
        Step::LoopbackUp => Ok(network::loopback_up()?),
        _ => Err(Errno::INVAL.into()),
    }
}

/// Starts the command's process and stays as PID 1.
fn start(plan: &Plan, strings: Strings<'_>, again: &[Again]) -> ! {
    const ALL: u64 = u64::MAX;
    const SIGCHLD: u64 = 1 << 16;
    const SIGPIPE: i32 = 13;
    let failed = |errno| -> ! { control::fail(Stage::Start, 0, 1, errno) };
    let ready = || -> Result<_, Errno> {
        let (started, running) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        sys::sigprocmask(ALL)?;
        Ok((started, running, sys::signalfd(SIGCHLD)?))
    };
    let (started, running, signals) = match ready() {
        Ok(ready) => ready,
        Err(errno) => failed(errno),
    };
    match sys::clone3(Child::Mine) {
        Ok((0, _)) => {
            drop((started, signals));
            let fail = |stage, index, part, errno| -> ! {
                // The word first: at the byte PID 1 ends, and this process with it.
                control::report(stage, index, part, errno);
                let _ = rustix::io::write(&running, b"!");
                control::exit(125)
            };
            let _ =
                rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable);
            for (index, step) in plan.confine.iter().enumerate() {
                if let Err(Failure { part, errno }) = confine::step(step) {
                    fail(Stage::Confine, index, part, errno);
                }
            }
            // The control socket above all: with it the command could speak for PID 1.
            if let Err(errno) = sys::close_on_exec(streams::FIRST_OTHER) {
                fail(Stage::Start, 0, 2, errno);
            }
            // As the standard library starts a command: what the harness blocks or ignores for itself is not for it.
            let _ = sys::signal_default(SIGPIPE);
            let _ = sys::sigprocmask(0);
            fail(Stage::Exec, 0, 0, program::execute(strings))
        }
        Ok((command, _)) => {
            drop(running);
            // They are the command's: whoever reads them must see their end when the command's processes close them.
            let _ = sys::close_range(0, 2);
            let own_group = plan
                .confine
                .iter()
                .any(|step| matches!(step, Step::OwnGroup { .. }));
            reap::run(command, started, signals, own_group, plan.detached, again)
        }
        Err(errno) => failed(errno),
    }
}
