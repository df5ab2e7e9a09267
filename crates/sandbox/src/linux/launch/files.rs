//! The memory files of a launch.

use std::os::fd::OwnedFd;
use std::sync::OnceLock;

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;

use super::search::Program;
use crate::Error;
use whybox_init::Plan;

static INIT: &[u8] = include_bytes!(env!("WHYBOX_INIT_PROGRAM"));

/// Since Linux 6.3 a file may have to say that it will be executed; older kernels do not know the flag.
const MFD_EXEC: u32 = 0x10;

/// The init's program. One file serves all launches of a harness.
pub(super) fn image() -> Result<OwnedFd, Error> {
    static IMAGE: OnceLock<OwnedFd> = OnceLock::new();
    if IMAGE.get().is_none() {
        let _ = IMAGE.set(sealed("whybox-init", true, &[INIT])?);
    }
    let image = IMAGE.get().ok_or(Error::Init("has no image"))?;
    image
        .try_clone()
        .map_err(Error::io("duplicate the init's memory file"))
}

/// The plan, and the strings of the program behind it.
pub(super) fn plan(plan: &Plan, program: &Program) -> Result<OwnedFd, Error> {
    let mut plan = plan.clone();
    plan.program = program.counts();
    let bytes = plan.encode().map_err(|error| Error::Io {
        step: "encode the plan",
        source: std::io::Error::other(error),
    })?;
    sealed("whybox-plan", false, &[&bytes, program.strings()])
}

fn sealed(name: &str, executable: bool, parts: &[&[u8]]) -> Result<OwnedFd, Error> {
    let step = |step| {
        move |errno: Errno| Error::Io {
            step,
            source: errno.into(),
        }
    };
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let kind = if executable {
        MemfdFlags::from_bits_retain(MFD_EXEC)
    } else {
        MemfdFlags::NOEXEC_SEAL
    };
    let file = match rustix::fs::memfd_create(name, flags | kind) {
        Err(Errno::INVAL) => rustix::fs::memfd_create(name, flags),
        other => other,
    }
    .map_err(step("make a memory file"))?;
    for part in parts {
        let mut rest = *part;
        while !rest.is_empty() {
            match rustix::io::write(&file, rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(step("write a memory file")(errno)),
            }
        }
    }
    let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
    rustix::fs::fcntl_add_seals(&file, seals).map_err(step("seal a memory file"))?;
    Ok(file)
}
