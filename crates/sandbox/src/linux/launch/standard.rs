//! Starting from a `std::process::Command`, whose streams only it can set up.
//!
//! The init is executed from `pre_exec`, in the fork that the standard library makes; so this path costs a fork
//! of the harness. What was added to a command stays in it, so each addition acts for one spawn only.
#![allow(unsafe_code)]

use std::ffi::{OsStr, OsString, c_char};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use whybox_init::{CONTROL_FD, IMAGE_FD, PLAN_FD};

use super::Parcel;
use crate::Error;

/// The descriptors of one spawn; negative when it is over.
struct Armed([AtomicI32; 3]);

/// Starts the init in the command's place.
pub(super) fn spawn(parcel: &Parcel, command: &mut Command) -> Result<Child, Error> {
    let numbers =
        [&parcel.control, &parcel.plan, &parcel.image].map(|fd| AtomicI32::new(fd.as_raw_fd()));
    let armed = Arc::new(Armed(numbers));
    let inside = Arc::clone(&armed);
    // SAFETY: the closure only loads numbers and makes system calls; it allocates and locks nothing.
    unsafe { command.pre_exec(move || execute(&inside)) };
    let child = command.spawn();
    armed
        .0
        .iter()
        .for_each(|number| number.store(-1, Ordering::Relaxed));
    child.map_err(Error::io("start the init from a standard command"))
}

fn execute(armed: &Armed) -> io::Result<()> {
    const TARGETS: [i32; 3] = [CONTROL_FD, PLAN_FD, IMAGE_FD];
    let mut high = [-1; 3];
    for (number, high) in armed.0.iter().zip(&mut high) {
        let number = number.load(Ordering::Relaxed);
        if number < 0 {
            return Ok(());
        }
        // SAFETY: a system call on a number.
        *high = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, IMAGE_FD + 1) };
        if *high < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    for (high, target) in high.into_iter().zip(TARGETS) {
        // SAFETY: as above. The pipe through which the standard library learns of an error may lie there; it is
        // for an error of this closure alone, and from here on the init reports.
        if unsafe { libc::dup2(high, target) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    let argv: [*const c_char; 2] = [c"whybox-init".as_ptr(), ptr::null()];
    let envp: [*const c_char; 1] = [ptr::null()];
    // SAFETY: a C string and arrays closed by null.
    unsafe { libc::execve(c"/proc/self/fd/5".as_ptr(), argv.as_ptr(), envp.as_ptr()) };
    Err(io::Error::last_os_error())
}

/// What a standard command says of its environment: whether the harness's is passed, and the changes.
pub(crate) struct Description {
    pub(crate) clear: bool,
    pub(crate) changes: Vec<(OsString, Option<OsString>)>,
}

/// Reads a command's environment. The standard library shows that it is cleared only in its text for debugging;
/// since passing a variable that the caller took away could give a secret away, that text is tried first on a
/// command of which the answer is known.
pub(crate) fn description(command: &Command) -> Result<Description, Error> {
    let mut cleared = Command::new("x");
    cleared.env_clear();
    if shows_cleared(&Command::new("x")) || !shows_cleared(&cleared) {
        return Err(Error::Init(
            "cannot tell whether this standard library's command clears its environment; use whybox::Command",
        ));
    }
    // Another name for the program has no getter either; the text shows it before the arguments.
    let mut plain = Command::new(command.get_program());
    plain.args(command.get_args());
    if !format!("{command:?}").ends_with(&format!("{plain:?}")) {
        return Err(Error::Init(
            "cannot pass on the arg0 of a standard command; use whybox::Command",
        ));
    }
    let own = |text: &OsStr| text.to_os_string();
    Ok(Description {
        clear: shows_cleared(command),
        changes: command
            .get_envs()
            .map(|(name, value)| (own(name), value.map(own)))
            .collect(),
    })
}

fn shows_cleared(command: &Command) -> bool {
    let text = format!("{command:?}");
    // The directory, which may hold any text, comes first.
    let rest = match command.get_current_dir() {
        Some(directory) => text
            .strip_prefix(&format!("cd {directory:?} && "))
            .unwrap_or(&text),
        None => &text,
    };
    rest.starts_with("env -i ")
}
