//! Opening, listing, and asking whether one may.

use rustix::fs::{Access as Ask, AtFlags, CWD, OFlags};
use rustix::io::Errno;
use whybox_policy::Access;
use whybox_record::{Kind, Operation};

use super::abi;
use super::attributes::NodeKind;
use super::call::{Call, Stop, Unanswered};
use super::refuse::Refusal;

impl Call<'_> {
    /// `OPEN`: always refused.
    pub(super) fn open(&mut self, flags: u32) -> Result<Stop, Stop> {
        let path = self.path_of(self.header.node)?;
        let opened = OFlags::from_bits_retain(flags);
        let (operation, access) = if flags & abi::OPEN_FOR_EXEC != 0 {
            (Operation::ProcessExec, Access::Exec)
        } else if opened.intersects(OFlags::WRONLY | OFlags::RDWR | OFlags::TRUNC) {
            (Operation::FileWriteData, Access::Write)
        } else {
            (Operation::FileReadData, Access::Read)
        };
        self.refuse(&Refusal::denial(operation, access, &path))
    }

    /// `OPENDIR`: refused, but for the directories that the cage has its own
    /// of, which an overlay lists.
    pub(super) fn opendir(&mut self) -> Result<(), Stop> {
        let path = self.path_of(self.header.node)?;
        if self.lists(&path) {
            self.reply.begin(self.header.unique).opened();
            return Ok(());
        }
        Err(self.refuse(&Refusal::denial(
            Operation::FileReadData,
            Access::Read,
            &path,
        ))?)
    }

    /// `READDIR` of such a directory: the names that lead to grants.
    pub(super) fn readdir(&mut self, offset: u64, size: u32) -> Result<(), Stop> {
        let node = self.header.node;
        let path = self.path_of(node)?;
        if !self.lists(&path) {
            return Err(Errno::ACCESS.into());
        }
        let nodes = self.ghost.nodes();
        let above = nodes.get(node).map_or(abi::ROOT, |node| node.parent);
        let itself: [(u64, NodeKind, &[u8]); 2] = [
            (node, NodeKind::Directory, b"."),
            (above, NodeKind::Directory, b".."),
        ];
        let below = nodes
            .fixed_children(node)
            .into_iter()
            .map(|(id, node)| (id, node.kind, &*node.name));
        let below =
            below.filter(|(_, _, name)| !self.ghost.view.hides(&[&path[..], b"/", name].concat()));
        self.reply.begin(self.header.unique);
        let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
        for (place, (id, kind, name)) in (1..).zip(itself.into_iter().chain(below)).skip(skipped) {
            if !self
                .reply
                .name(size as usize, id, place, kind == NodeKind::Directory, name)
            {
                break;
            }
        }
        self.reply.finish();
        Ok(())
    }

    /// `ACCESS`, which `chdir` asks too.
    pub(super) fn access(&mut self, mask: u32) -> Result<(), Stop> {
        let node = self.header.node;
        let (kind, fixed) = {
            let nodes = self.ghost.nodes();
            let known = nodes.get(node).ok_or(Errno::STALE)?;
            (known.kind, known.fixed)
        };
        let mask = Ask::from_bits_truncate(mask);
        let path = self.path_of(node)?;
        let hidden = self.ghost.view.hides(&path);
        let directory = kind == NodeKind::Directory;
        let listed = self.lists(&path);
        let allowed = mask.is_empty()
            || (listed && !mask.contains(Ask::WRITE_OK))
            || (directory && !hidden && mask == Ask::EXEC_OK && self.searchable(&path, fixed)?);
        if allowed {
            self.reply.begin(self.header.unique).finish();
            return Ok(());
        }
        let (operation, access) = if mask.contains(Ask::WRITE_OK) {
            (Operation::FileWriteData, Access::Write)
        } else if mask.contains(Ask::READ_OK) {
            (Operation::FileReadData, Access::Read)
        } else if directory {
            // To search a directory is not to run it.
            (Operation::FileLookup, Access::Read)
        } else {
            (Operation::ProcessExec, Access::Exec)
        };
        let mut refusal = Refusal::denial(operation, access, &path);
        refusal.kind = Kind::AccessCheck;
        refusal.ordinary = Some(self.ordinary_access(operation, &path, mask)?);
        Err(self.refuse(&refusal)?)
    }

    /// Whether the host lets its user through a directory. If it does not, its
    /// refusal is passed on: it is not the cage's.
    fn searchable(&mut self, path: &[u8], fixed: bool) -> Result<bool, Stop> {
        let flags = AtFlags::EACCESS;
        let operation = Operation::FileLookup;
        match self.ask(operation, path, || {
            rustix::fs::accessat(CWD, path, Ask::EXEC_OK, flags)
        }) {
            Ok(()) => Ok(true),
            Err(Unanswered::Errno(errno @ (Errno::ACCESS | Errno::PERM))) => Err(errno.into()),
            Err(Unanswered::Overdue) => Err(Stop::Overdue),
            // What is fixed can be walked over, whatever the host says.
            Err(_) if fixed => Ok(true),
            Err(unanswered) => Err(self.pass_on(unanswered, operation, path)),
        }
    }

    /// Whether a directory may be listed here.
    fn lists(&self, path: &[u8]) -> bool {
        self.ghost.view.is_shadow(path) && !self.ghost.view.hides(path)
    }
}
