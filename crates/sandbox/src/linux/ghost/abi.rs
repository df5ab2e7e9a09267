//! The numbers of the FUSE protocol that the ghost speaks, as the kernel's
//! `linux/fuse.h` publishes them. Data only: what they mean is in `decode`,
//! `encode` and `answer`.

/// The protocol's major version.
pub(super) const MAJOR: u32 = 7;
/// The minor version that the ghost speaks; older kernels are refused.
pub(super) const MINOR: u32 = 31;
/// The id of the root directory.
pub(super) const ROOT: u64 = 1;

/// Bytes of the header of every request.
#[cfg(test)]
pub(super) const IN_HEADER: usize = 40;
/// Bytes of the header of every answer.
pub(super) const OUT_HEADER: usize = 16;
/// Bytes that one read may return: the largest request that the kernel makes
/// of a server with a small `max_write` is an extended attribute of 64 KiB.
pub(super) const REQUEST_MAX: usize = 64 * 1024 + 8 * 1024;
/// The smallest value the kernel allows; nothing is ever written to a ghost.
pub(super) const MAX_WRITE: u32 = 4096;

/// Longest name of one component.
pub(super) const NAME_MAX: usize = 255;
/// Longest path, the final NUL included.
pub(super) const PATH_MAX: usize = 4096;

/// `O_TRUNC` is passed on with `OPEN` instead of becoming a `SETATTR` later.
pub(super) const INIT_ATOMIC_O_TRUNC: u32 = 1 << 3;
/// Look-ups and listings of one directory may run at the same time.
pub(super) const INIT_PARALLEL_DIROPS: u32 = 1 << 18;
pub(super) const INIT_CACHE_SYMLINKS: u32 = 1 << 23;

/// `SETATTR` changes the permission bits.
pub(super) const SET_MODE: u32 = 1 << 0;
/// `SETATTR` changes the owner.
pub(super) const SET_UID: u32 = 1 << 1;
/// `SETATTR` changes the group.
pub(super) const SET_GID: u32 = 1 << 2;
/// `SETATTR` changes the size.
pub(super) const SET_SIZE: u32 = 1 << 3;

/// The kernel opens the file in order to execute it (`FMODE_EXEC`).
pub(super) const OPEN_FOR_EXEC: u32 = 0x20;

/// The code of the notification that makes the kernel drop one name.
pub(super) const NOTIFY_INVAL_ENTRY: i32 = 3;

/// The operations, by the kernel's numbers.
pub(super) mod op {
    pub(in crate::linux::ghost) const LOOKUP: u32 = 1;
    pub(in crate::linux::ghost) const FORGET: u32 = 2;
    pub(in crate::linux::ghost) const GETATTR: u32 = 3;
    pub(in crate::linux::ghost) const SETATTR: u32 = 4;
    pub(in crate::linux::ghost) const READLINK: u32 = 5;
    pub(in crate::linux::ghost) const SYMLINK: u32 = 6;
    pub(in crate::linux::ghost) const MKNOD: u32 = 8;
    pub(in crate::linux::ghost) const MKDIR: u32 = 9;
    pub(in crate::linux::ghost) const UNLINK: u32 = 10;
    pub(in crate::linux::ghost) const RMDIR: u32 = 11;
    pub(in crate::linux::ghost) const RENAME: u32 = 12;
    pub(in crate::linux::ghost) const LINK: u32 = 13;
    pub(in crate::linux::ghost) const OPEN: u32 = 14;
    pub(in crate::linux::ghost) const READ: u32 = 15;
    pub(in crate::linux::ghost) const WRITE: u32 = 16;
    pub(in crate::linux::ghost) const STATFS: u32 = 17;
    pub(in crate::linux::ghost) const RELEASE: u32 = 18;
    pub(in crate::linux::ghost) const FSYNC: u32 = 20;
    pub(in crate::linux::ghost) const SETXATTR: u32 = 21;
    pub(in crate::linux::ghost) const GETXATTR: u32 = 22;
    pub(in crate::linux::ghost) const LISTXATTR: u32 = 23;
    pub(in crate::linux::ghost) const REMOVEXATTR: u32 = 24;
    pub(in crate::linux::ghost) const FLUSH: u32 = 25;
    pub(in crate::linux::ghost) const INIT: u32 = 26;
    pub(in crate::linux::ghost) const OPENDIR: u32 = 27;
    pub(in crate::linux::ghost) const READDIR: u32 = 28;
    pub(in crate::linux::ghost) const RELEASEDIR: u32 = 29;
    pub(in crate::linux::ghost) const FSYNCDIR: u32 = 30;
    pub(in crate::linux::ghost) const ACCESS: u32 = 34;
    pub(in crate::linux::ghost) const CREATE: u32 = 35;
    pub(in crate::linux::ghost) const INTERRUPT: u32 = 36;
    pub(in crate::linux::ghost) const DESTROY: u32 = 38;
    pub(in crate::linux::ghost) const NOTIFY_REPLY: u32 = 41;
    pub(in crate::linux::ghost) const BATCH_FORGET: u32 = 42;
    pub(in crate::linux::ghost) const RENAME2: u32 = 45;
    pub(in crate::linux::ghost) const TMPFILE: u32 = 51;
}
