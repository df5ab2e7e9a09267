//! Names: looking them up, and what is at them.

use rustix::fs::{CWD, Stat};
use rustix::io::Errno;
use whybox_policy::Access;
use whybox_record::{Kind, Operation};

use super::attributes::{Attributes, NodeKind, permissions};
use super::call::{Call, Stop, Unanswered};
use super::refuse::Refusal;
use super::view::{Standing, as_path};
use super::{abi, nodes};

/// Seconds that the names of fixed nodes are valid: for ever, to the kernel.
const FOREVER: u64 = i32::MAX as u64;
/// Nanoseconds that a name is valid which is shown and not granted.
const SHOWN: u32 = 20_000_000;
/// Seconds that attributes of fixed nodes are valid.
const FIXED_ATTRIBUTES: u64 = 1;

impl Call<'_> {
    /// `LOOKUP`. Gives the node, of which the kernel now holds one look-up
    /// more.
    pub(super) fn lookup(&mut self, name: &[u8]) -> Result<u64, Stop> {
        let directory = self.header.node;
        if name.len() > abi::NAME_MAX {
            return Err(Errno::NAMETOOLONG.into());
        }
        let mut nodes = self.ghost.nodes();
        if let Some((_, node)) = nodes.child(directory, name).filter(|(_, node)| node.fixed) {
            let kind = node.kind;
            let id = nodes
                .remember(directory, name, kind, 0)
                .map_err(|nodes::Full| Errno::NOMEM)?;
            drop(nodes);
            let view = &self.ghost.view;
            let shown = Attributes::blank(kind, permissions(kind), view.uid, view.gid);
            // What `stat` shows is asked for when it is wanted: the host is
            // not needed to walk over a mount point.
            self.reply
                .begin(self.header.unique)
                .entry(id, (FOREVER, 0), &shown);
            return Ok(id);
        }
        drop(nodes);

        let path = self.path_in(directory, name)?;
        let standing = self.ghost.view.standing(&path);
        let shown = match standing {
            Standing::Concealed => return Err(self.conceal(&path)?),
            Standing::Absent => return Err(self.pretend_missing(&path, Kind::Absent)?),
            Standing::Shadowed => return Err(self.pretend_missing(&path, Kind::Shadowed)?),
            Standing::Hidden => {
                let kind = self.hidden_kind(&path)?;
                (kind, self.hidden_attributes(kind, &path))
            }
            Standing::Shown => self.host_attributes(&path, Operation::FileReadMetadata)?,
        };
        // Looking up what is merely shown leaves no entry, so that none is lost when the kernel asks once for a few
        // calls: the look-up and the refusal of one open are then one question, not two.
        let valid = if standing == Standing::Shown {
            (0, SHOWN)
        } else {
            (0, 0)
        };
        self.enter(name, &path, valid, shown)
    }

    /// Answers with a node of the kind.
    fn enter(
        &mut self,
        name: &[u8],
        path: &[u8],
        valid: (u64, u32),
        (kind, attributes): (NodeKind, Attributes),
    ) -> Result<u64, Stop> {
        let mut nodes = self.ghost.nodes();
        let remembered = nodes.remember(self.header.node, name, kind, attributes.stamp(kind));
        let surplus = nodes.surplus(64);
        drop(nodes);
        if !surplus.is_empty() {
            // A full queue is no loss: the same names come up again.
            let _ = self
                .common
                .evictions
                .try_send((self.ghost.clone(), surplus));
        }
        let Ok(id) = remembered else {
            return Err(self.not_examined(Operation::FileReadMetadata, path));
        };
        self.reply
            .begin(self.header.unique)
            .entry(id, valid, &attributes);
        Ok(id)
    }

    /// `GETATTR`.
    pub(super) fn getattr(&mut self) -> Result<(), Stop> {
        let node = self.header.node;
        let (kind, fixed) = {
            let nodes = self.ghost.nodes();
            let known = nodes.get(node).ok_or(Errno::STALE)?;
            (known.kind, known.fixed)
        };
        let path = self.path_of(node)?;
        let attributes = if self.ghost.view.hides(&path) {
            self.hidden_attributes(kind, &path)
        } else if fixed {
            self.fixed_attributes(kind, &path)?
        } else {
            let (now, attributes) = self.host_attributes(&path, Operation::FileReadMetadata)?;
            if now != kind {
                // Makes the kernel look the name up again, once.
                return Err(Errno::STALE.into());
            }
            attributes
        };
        let valid = if fixed { FIXED_ATTRIBUTES } else { 0 };
        self.reply
            .begin(self.header.unique)
            .attr(node, valid, &attributes);
        Ok(())
    }

    /// `READLINK`.
    pub(super) fn readlink(&mut self) -> Result<(), Stop> {
        let path = self.path_of(self.header.node)?;
        let operation = Operation::FileReadData;
        if self.ghost.view.hides(&path) {
            let refusal = Refusal::denial(operation, Access::Read, &path);
            return Err(self.refuse(&refusal)?);
        }
        let mut link = [0; abi::PATH_MAX];
        let read = self.ask(operation, &path, || {
            rustix::fs::readlinkat_raw(CWD, &path[..], &mut link[..])
        });
        let length = read.map_err(|unanswered| self.pass_on(unanswered, operation, &path))?;
        self.reply
            .begin(self.header.unique)
            .raw(link.get(..length).unwrap_or_default())
            .finish();
        Ok(())
    }

    /// Refuses a name beneath something hidden, the same whether it exists or
    /// not; the entry says whether.
    fn conceal(&mut self, path: &[u8]) -> Result<Stop, Stop> {
        let (exists, ordinary) = self.existence(path)?;
        let mut refusal = Refusal::denial(Operation::FileLookup, Access::Read, path);
        refusal.exists = exists;
        refusal.ordinary = Some(ordinary);
        self.refuse(&refusal)
    }

    /// Says that nothing is there; an entry only if something is.
    fn pretend_missing(&mut self, path: &[u8], kind: Kind) -> Result<Stop, Stop> {
        let (exists, ordinary) = self.existence(path)?;
        if exists == Some(true) {
            let mut refusal = Refusal::denial(Operation::FileLookup, Access::Read, path);
            refusal.kind = kind;
            refusal.exists = exists;
            refusal.ordinary = Some(ordinary);
            self.refuse(&refusal)?;
        }
        Ok(Errno::NOENT.into())
    }

    /// The kind that something hidden is shown with.
    fn hidden_kind(&mut self, path: &[u8]) -> Result<NodeKind, Stop> {
        if let Some(kind) = self.ghost.view.hidden.get(as_path(path)) {
            return Ok(*kind);
        }
        let operation = Operation::FileReadMetadata;
        let stat = self
            .stat(operation, path)
            .map_err(|unanswered| self.pass_on(unanswered, operation, path))?;
        // A link would tell where it leads.
        Ok(match NodeKind::of(&stat) {
            NodeKind::Directory => NodeKind::Directory,
            _ => NodeKind::File,
        })
    }

    /// The least that can be shown.
    fn hidden_attributes(&self, kind: NodeKind, path: &[u8]) -> Attributes {
        let view = &self.ghost.view;
        // An overlay checks permission bits itself before it asks what is
        // below, and would refuse without a word.
        let bits = match kind {
            _ if !view.is_shadow(path) => 0,
            NodeKind::Directory => 0o755,
            _ => 0o644,
        };
        Attributes::blank(kind, bits, view.uid, view.gid)
    }

    /// What a mount point, or a directory above one, shows until it is covered.
    fn fixed_attributes(&self, kind: NodeKind, path: &[u8]) -> Result<Attributes, Stop> {
        let view = &self.ghost.view;
        if view.is_shadow(path) {
            // An overlay cannot copy up what belongs to a user that the cage
            // does not have.
            let bits = if view.is_shadow_root(path) {
                0o1777
            } else {
                0o755
            };
            return Ok(Attributes::blank(kind, bits, view.uid, view.gid));
        }
        match self.stat(Operation::FileReadMetadata, path) {
            Ok(stat) if NodeKind::of(&stat) == kind => Ok(self.of_host(&stat, kind)),
            Err(Unanswered::Overdue) => Err(Stop::Overdue),
            // Whatever became of it on the host, here it stays.
            _ => Ok(Attributes::blank(
                kind,
                permissions(kind),
                view.uid,
                view.gid,
            )),
        }
    }

    fn host_attributes(
        &mut self,
        path: &[u8],
        operation: Operation,
    ) -> Result<(NodeKind, Attributes), Stop> {
        let stat = self
            .stat(operation, path)
            .map_err(|unanswered| self.pass_on(unanswered, operation, path))?;
        let kind = NodeKind::of(&stat);
        Ok((kind, self.of_host(&stat, kind)))
    }

    /// What the host has, in the ids of the cage: its user is who runs the
    /// harness. Ids that the cage does not map the kernel shows as nobody's.
    fn of_host(&self, stat: &Stat, kind: NodeKind) -> Attributes {
        let mut shown = Attributes::of_host(stat, permissions(kind));
        let (ghost, view) = (self.ghost, &self.ghost.view);
        if shown.uid == ghost.user.0 {
            shown.uid = view.uid;
        }
        if shown.gid == ghost.user.1 {
            shown.gid = view.gid;
        }
        shown
    }
}
