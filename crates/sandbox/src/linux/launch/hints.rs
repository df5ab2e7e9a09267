//! What to do about a step that fails: a table.

use whybox_init::Step;

use crate::{Errno, Error};

const USER_NAMESPACES: &str = "unprivileged user namespaces are switched off here: on Ubuntu 23.10 and newer install an AppArmor \
    profile that allows `userns` for this program, or `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`; on Debian \
    `sudo sysctl -w kernel.unprivileged_userns_clone=1`; elsewhere see `user.max_user_namespaces`; in a container allow \
    `unshare` and `mount` (Docker: `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`)";

const DEV_FUSE: &str = "load it with `sudo modprobe fuse`, and let this user open it: `sudo chmod 0666 /dev/fuse` (every desktop \
    distribution has it so); in a container pass it in (Docker: `--device /dev/fuse`)";

const LANDLOCK: &str = "boot a kernel 5.13 or newer with `lsm=...,landlock`";

/// A step that shows that the host lacks something as a whole.
pub(super) fn missing(step: &Step, part: u32, errno: Errno) -> Option<Error> {
    let unsupported = |missing: &str, remedy: &str| {
        Some(Error::Unsupported {
            gap: None,
            missing: format!("{missing}: {errno}"),
            remedy: remedy.to_owned(),
        })
    };
    match (step, part, errno.raw()) {
        (
            Step::Unshare { .. },
            _,
            libc::EPERM | libc::ENOSPC | libc::EINVAL | libc::EACCES | libc::ENOSYS,
        ) => unsupported("no user namespace can be made", USER_NAMESPACES),
        (Step::MapIds { .. } | Step::PrivateMounts, _, libc::EPERM | libc::EACCES) => {
            unsupported("the user namespace has no rights", USER_NAMESPACES)
        }
        (
            Step::MountGhost { .. },
            1,
            libc::ENOENT | libc::ENODEV | libc::ENXIO | libc::EACCES | libc::EPERM,
        ) => unsupported("/dev/fuse cannot be opened", DEV_FUSE),
        (Step::MountGhost { .. }, 2, libc::ENODEV) => {
            unsupported("the kernel has no FUSE", DEV_FUSE)
        }
        (Step::MountGhost { .. }, 2, libc::EPERM | libc::ENOSYS) => {
            unsupported("FUSE cannot be mounted", USER_NAMESPACES)
        }
        (Step::Landlock(_), 1, libc::ENOSYS | libc::EOPNOTSUPP) => {
            unsupported("the kernel has no Landlock", LANDLOCK)
        }
        _ => None,
    }
}

/// The step in words, short: a ruleset with all its rules would drown the message.
pub(super) fn subject(step: &Step) -> String {
    match step {
        Step::Landlock(_) => "restrict by Landlock".to_owned(),
        Step::Filter { .. } => "install the seccomp filter".to_owned(),
        step => step.to_string(),
    }
}

/// What to do about one path or call.
pub(super) fn hint(step: &Step, part: u32, errno: Errno) -> Option<&'static str> {
    match (step, part, errno.raw()) {
        (Step::WorkingDirectory { .. }, _, _) => {
            Some("the command starts in this directory: choose one that exists and may be entered")
        }
        (Step::CloneTree { .. }, 0, libc::ENOENT) => Some("it was there a moment ago"),
        (Step::CloneTree { .. }, 0, libc::EACCES) => {
            Some("this user may not reach it: leave the rule out, or change its permissions")
        }
        (Step::Filter { .. }, _, libc::EBUSY) => Some(
            "an outer sandbox has taken the only seccomp listener; reporting of refused calls is not to be had inside it",
        ),
        (Step::MountProc { .. }, 1, libc::EPERM) => Some(
            "the proc of this container is partly covered; Docker: `--security-opt systempaths=unconfined`",
        ),
        _ => None,
    }
}
