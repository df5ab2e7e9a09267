//! Becoming the command.

use crate::sys;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char};
use core::ptr::null;
use rustix::io::Errno;
use whybox_init::Program;

/// The strings behind the plan: paths to try, arguments, environment.
pub(crate) struct Strings<'a> {
    candidates: Vec<&'a CStr>,
    arguments: Vec<*const c_char>,
    variables: Vec<*const c_char>,
}

/// Finds the strings.
pub(crate) fn strings<'a>(program: &Program, mut rest: &'a [u8]) -> Result<Strings<'a>, Errno> {
    let mut next = || -> Result<&'a CStr, Errno> {
        let text = CStr::from_bytes_until_nul(rest).map_err(|_| Errno::INVAL)?;
        rest = &rest[text.to_bytes_with_nul().len()..];
        Ok(text)
    };
    let candidates = (0..program.candidates)
        .map(|_| next())
        .collect::<Result<_, _>>()?;
    let mut pointers = |count: u32| -> Result<Vec<*const c_char>, Errno> {
        // Room for `/bin/sh` before the arguments, and for the closing null.
        let mut out = Vec::with_capacity(count as usize + 2);
        for _ in 0..count {
            out.push(next()?.as_ptr());
        }
        Ok(out)
    };
    Ok(Strings {
        candidates,
        arguments: pointers(program.arguments)?,
        variables: pointers(program.variables)?,
    })
}

/// Executes the first candidate that can be, as execvp(3) does: one that is missing or refused is
/// passed over, and a script without `#!` goes to the shell. Returns only on failure.
pub(crate) fn execute(mut strings: Strings<'_>) -> Errno {
    strings.arguments.push(null());
    strings.variables.push(null());
    let variables = strings.variables.as_ptr();
    let mut refused = None;
    for path in &strings.candidates {
        // SAFETY: both arrays are closed by null and point into the plan, which stays mapped.
        let mut errno = unsafe { sys::execve(path, strings.arguments.as_ptr(), variables) };
        if errno == Errno::NOEXEC {
            if let Some(first) = strings.arguments.first_mut() {
                *first = path.as_ptr();
            }
            strings.arguments.insert(0, c"/bin/sh".as_ptr());
            // SAFETY: as above.
            errno = unsafe { sys::execve(c"/bin/sh", strings.arguments.as_ptr(), variables) };
            return errno;
        }
        match errno {
            // A directory of PATH that may not be searched does not say that the program is there.
            Errno::ACCESS if rustix::fs::stat(*path).is_ok() => refused = Some(errno),
            Errno::ACCESS => {}
            Errno::NOENT | Errno::NOTDIR | Errno::NODEV | Errno::TIMEDOUT => {}
            other => return other,
        }
    }
    refused.unwrap_or(Errno::NOENT)
}
