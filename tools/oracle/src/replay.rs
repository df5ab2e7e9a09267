//! Trying the same without a cage: what the host answers to this user.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags};
use rustix::io::{Errno, Result};

use crate::attempt::{Attempt, Place};
use crate::calls::{Wish, has};
use crate::trace::Value;

/// Where a symlink of the host leads.
#[must_use]
pub fn host_link(path: &Path) -> Option<PathBuf> {
    std::fs::read_link(path).ok()
}

/// Tries what `attempt` tried on `place`, outside. Nothing is changed by it: a wish to write
/// is only asked about.
///
/// # Errors
/// What the host answers.
pub fn replay(attempt: &Attempt, place: &Place) -> Result<()> {
    let call = &attempt.call;
    // A path through `/proc` names other processes here than it did there.
    let own = place
        .walk
        .passed
        .iter()
        .any(|path| path.starts_with("/proc"));
    let path: &Path = if own { &place.walk.end } else { &place.given };
    let flag = |name| has(call, name);
    let stay = flag("AT_SYMLINK_NOFOLLOW")
        || matches!(call.name.as_str(), "lstat" | "lgetxattr" | "llistxattr");
    let at = if stay {
        AtFlags::SYMLINK_NOFOLLOW
    } else {
        AtFlags::empty()
    };
    if attempt.writes {
        return rustix::fs::accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS);
    }
    match attempt.wish {
        Some(Wish::Open) => open(path, &flag),
        Some(Wish::List) => open(path, &|name| name == "O_DIRECTORY"),
        Some(Wish::Stat) | None => rustix::fs::statat(CWD, path, at).map(drop),
        Some(Wish::Access) => {
            let mut wanted = Access::EXISTS;
            for (name, bit) in [
                ("R_OK", Access::READ_OK),
                ("W_OK", Access::WRITE_OK),
                ("X_OK", Access::EXEC_OK),
            ] {
                if flag(name) {
                    wanted |= bit;
                }
            }
            rustix::fs::accessat(CWD, path, wanted, at | AtFlags::EACCESS)
        }
        Some(Wish::ReadLink) => rustix::fs::readlinkat(CWD, path, Vec::new()).map(drop),
        Some(Wish::Xattr) => xattr(attempt, path, stay),
        Some(Wish::Enter) => {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            rustix::fs::openat(CWD, path, flags, Mode::empty())?;
            rustix::fs::accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS)
        }
        Some(Wish::Watch) => rustix::fs::accessat(CWD, path, Access::READ_OK, AtFlags::EACCESS),
        Some(Wish::StatFs) => rustix::fs::statfs(path).map(drop),
        Some(Wish::Exec) => {
            if rustix::fs::statat(CWD, path, AtFlags::empty())?.st_mode & 0o170_000 == 0o040_000 {
                return Err(Errno::ACCESS);
            }
            rustix::fs::accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS)
        }
        Some(Wish::Change) => Ok(()),
    }
}

fn open(path: &Path, flag: &dyn Fn(&'static str) -> bool) -> Result<()> {
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    for (name, bit) in [
        ("O_DIRECTORY", OFlags::DIRECTORY),
        ("O_PATH", OFlags::PATH),
        ("O_NOFOLLOW", OFlags::NOFOLLOW),
    ] {
        if flag(name) {
            flags |= bit;
        }
    }
    rustix::fs::openat(CWD, path, flags, Mode::empty()).map(drop)
}

fn xattr(attempt: &Attempt, path: &Path, stay: bool) -> Result<()> {
    let mut none: [u8; 0] = [];
    let name = match attempt.call.arguments.get(1) {
        Some(Value::Text(name)) if attempt.call.name.contains("getxattr") => Some(&name[..]),
        _ => None,
    };
    match (name, stay) {
        (Some(name), false) => rustix::fs::getxattr(path, name, &mut none[..]).map(drop),
        (Some(name), true) => rustix::fs::lgetxattr(path, name, &mut none[..]).map(drop),
        (None, false) => rustix::fs::listxattr(path, &mut none[..]).map(drop),
        (None, true) => rustix::fs::llistxattr(path, &mut none[..]).map(drop),
    }
}
