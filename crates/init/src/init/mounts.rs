//! Mounts by descriptors: nothing needs a mount point on the host.

use crate::sys;
use alloc::ffi::CString;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::ffi::CStr;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, UnmountFlags,
};
use whybox_init::Message;

/// A step that failed, and in which of its parts.
pub(crate) struct Failure {
    pub(crate) part: u32,
    pub(crate) errno: Errno,
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Failure {
        Failure { part: 0, errno }
    }
}

/// The trees that are open, and the ghost.
#[derive(Default)]
pub(crate) struct Mounts {
    slots: Vec<Option<OwnedFd>>,
    ghost: Option<OwnedFd>,
    /// What the cage's root will be: the ghost, or a tree attached over all of it.
    root: Option<OwnedFd>,
}

impl Mounts {
    /// The root of what is being built.
    pub(crate) fn base(&self) -> Result<BorrowedFd<'_>, Errno> {
        self.root
            .as_ref()
            .or(self.ghost.as_ref())
            .map(AsFd::as_fd)
            .ok_or(Errno::BADF)
    }

    fn put(&mut self, slot: u32, fd: OwnedFd) {
        let slot = slot as usize;
        while self.slots.len() <= slot {
            self.slots.push(None);
        }
        self.slots[slot] = Some(fd);
    }

    /// Takes a tree out of its slot.
    pub(crate) fn take(&mut self, slot: u32) -> Result<OwnedFd, Errno> {
        self.slots
            .get_mut(slot as usize)
            .and_then(Option::take)
            .ok_or(Errno::BADF)
    }

    /// Opens `/dev/fuse` (part 1) and mounts the ghost with it (part 2), unattached; the descriptor goes
    /// to the harness (part 3) and no copy stays here.
    pub(crate) fn mount_ghost(&mut self, uid: u32, gid: u32) -> Result<(), Failure> {
        let fuse = rustix::fs::open(
            c"/dev/fuse",
            OFlags::RDWR | OFlags::CLOEXEC | OFlags::NONBLOCK,
            Mode::empty(),
        )
        .map_err(|errno| Failure { part: 1, errno })?;
        let options = [
            ("source", "whybox".to_string()),
            ("subtype", "ghost".to_string()),
            ("fd", fuse.as_raw_fd().to_string()),
            ("rootmode", "40555".to_string()),
            ("user_id", uid.to_string()),
            ("group_id", gid.to_string()),
        ];
        let options: Vec<(&str, &str)> = options
            .iter()
            .map(|(key, value)| (*key, value.as_str()))
            .collect();
        let ghost = new(
            c"fuse",
            &options,
            MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV,
        )
        .map_err(|errno| Failure { part: 2, errno })?;
        crate::control::send(Message::Ghost, Some(fuse.as_fd()))
            .map_err(|errno| Failure { part: 3, errno })?;
        self.ghost = Some(ghost);
        Ok(())
    }

    /// Clones a tree with all that is mounted below it (an ordinary user cannot leave that out), and sets
    /// attributes on all of it (part 1).
    pub(crate) fn clone_tree(
        &mut self,
        slot: u32,
        path: &CStr,
        attributes: u64,
    ) -> Result<(), Failure> {
        let tree = open_tree(CWD, path, OpenTreeFlags::AT_RECURSIVE)?;
        sys::mount_setattr(tree.as_fd(), attributes).map_err(|errno| Failure { part: 1, errno })?;
        self.put(slot, tree);
        Ok(())
    }

    /// Clones a name of the ghost.
    pub(crate) fn clone_ghost(&mut self, slot: u32, at: &CStr) -> Result<(), Errno> {
        let ghost = self.ghost.as_ref().ok_or(Errno::BADF)?;
        let tree = open_tree(ghost.as_fd(), at, OpenTreeFlags::empty())?;
        self.put(slot, tree);
        Ok(())
    }

    /// Attaches the ghost to a directory of the private view.
    pub(crate) fn attach_ghost(&mut self, aside: &CStr) -> Result<(), Errno> {
        let ghost = self.ghost.as_ref().ok_or(Errno::BADF)?;
        move_to(ghost.as_fd(), CWD, aside)
    }

    /// Attaches a tree to its place.
    pub(crate) fn attach(&mut self, slot: u32, at: &CStr) -> Result<(), Errno> {
        let tree = self.take(slot)?;
        if !at.is_empty() {
            return move_to(tree.as_fd(), self.base()?, at);
        }
        rustix::mount::move_mount(
            &tree,
            c"",
            self.base()?,
            c"",
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH,
        )?;
        self.root = Some(tree);
        Ok(())
    }

    /// Mounts a new proc (part 1) at its place (part 2), with some of its names read-only (part 3).
    pub(crate) fn mount_proc(&self, at: &CStr, read_only: &[CString]) -> Result<(), Failure> {
        let part = |part| move |errno| Failure { part, errno };
        let quiet = MountAttrFlags::MOUNT_ATTR_NOSUID
            | MountAttrFlags::MOUNT_ATTR_NODEV
            | MountAttrFlags::MOUNT_ATTR_NOEXEC;
        let proc = new(c"proc", &[], quiet).map_err(part(1))?;
        move_to(proc.as_fd(), self.base()?, at).map_err(part(2))?;
        for name in read_only {
            let tree = match open_tree(proc.as_fd(), name, OpenTreeFlags::AT_RECURSIVE) {
                Ok(tree) => tree,
                // The host's proc may show more than a new one.
                Err(Errno::NOENT) => continue,
                Err(errno) => return Err(Failure { part: 3, errno }),
            };
            sys::mount_setattr(
                tree.as_fd(),
                MountAttrFlags::MOUNT_ATTR_RDONLY.bits().into(),
            )
            .map_err(part(3))?;
            move_to(tree.as_fd(), proc.as_fd(), name).map_err(part(3))?;
        }
        Ok(())
    }

    /// Makes what was built the root, and lets go of the old one.
    pub(crate) fn pivot(&mut self) -> Result<(), Errno> {
        rustix::process::fchdir(self.base()?)?;
        rustix::process::pivot_root(c".", c".")?;
        rustix::mount::unmount(c".", UnmountFlags::DETACH)?;
        rustix::process::chdir(c"/")?;
        self.slots.clear();
        self.root = None;
        self.ghost = None;
        Ok(())
    }
}

/// Changes the propagation of every mount.
pub(crate) fn propagate(flags: MountPropagationFlags) -> Result<(), Errno> {
    rustix::mount::mount_change(c"/", flags | MountPropagationFlags::REC)
}

pub(crate) fn open_tree(
    base: BorrowedFd<'_>,
    path: &CStr,
    more: OpenTreeFlags,
) -> Result<OwnedFd, Errno> {
    rustix::mount::open_tree(
        base,
        path,
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | more,
    )
}

/// Moves an unattached mount to a path below `base`.
pub(crate) fn move_to(tree: BorrowedFd<'_>, base: BorrowedFd<'_>, at: &CStr) -> Result<(), Errno> {
    rustix::mount::move_mount(tree, c"", base, at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

/// A new, unattached mount.
pub(crate) fn new(
    kind: &CStr,
    options: &[(&str, &str)],
    attributes: MountAttrFlags,
) -> Result<OwnedFd, Errno> {
    let context = rustix::mount::fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, value) in options {
        if value.is_empty() {
            rustix::mount::fsconfig_set_flag(context.as_fd(), *key)?;
        } else {
            rustix::mount::fsconfig_set_string(context.as_fd(), *key, *value)?;
        }
    }
    rustix::mount::fsconfig_create(context.as_fd())?;
    rustix::mount::fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}
