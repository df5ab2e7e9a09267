//! The nodes that the kernel knows of a ghost: ids, names, and paths from
//! ids.
//!
//! *Fixed* nodes are the mount points of a cage and everything above them.
//! They exist before the kernel asks, keep their id and kind for ever, and
//! are never evicted: if the kernel lost one, every mount below would go with
//! it. All others live from a look-up until the kernel forgets them.

use std::collections::{BTreeMap, HashMap};

use super::abi;
use super::attributes::NodeKind;

/// The node is gone, or its path is longer than any path can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stale;

/// No further node can be remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// One node.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: u64,
    pub(super) name: Box<[u8]>,
    pub(super) kind: NodeKind,
    pub(super) fixed: bool,
    /// Differs when the kernel must not use what it kept of an earlier node of that name.
    stamp: u64,
    lookups: u64,
    children: HashMap<Box<[u8]>, u64>,
}

/// All nodes of one ghost.
#[derive(Debug)]
pub(super) struct Nodes {
    /// Ids count up and are never used again, so this is the order of age.
    by_id: BTreeMap<u64, Node>,
    next: u64,
    fixed: usize,
    /// Where the search for the next nodes to evict goes on.
    evicted: u64,
    limit: usize,
}

impl Nodes {
    /// A table with the root and the fixed nodes. `limit` is the number of
    /// other nodes above which the oldest are evicted; twice as many are
    /// never remembered.
    pub(super) fn new<'a>(
        fixed: impl IntoIterator<Item = (&'a [u8], NodeKind)>,
        limit: usize,
    ) -> Self {
        let mut nodes = Self {
            by_id: BTreeMap::new(),
            next: abi::ROOT,
            fixed: 0,
            evicted: 0,
            limit,
        };
        nodes.insert(0, b"", NodeKind::Directory, true, 0);
        for (path, kind) in fixed {
            let mut at = abi::ROOT;
            let mut names = path
                .split(|&byte| byte == b'/')
                .filter(|name| !name.is_empty())
                .peekable();
            while let Some(name) = names.next() {
                let last = names.peek().is_none();
                let kind = if last { kind } else { NodeKind::Directory };
                at = match nodes.child(at, name) {
                    Some((id, _)) => id,
                    None => nodes.insert(at, name, kind, true, 0),
                };
                // What is above something is a directory, whichever was named first.
                if !last && let Some(node) = nodes.by_id.get_mut(&at) {
                    node.kind = NodeKind::Directory;
                }
            }
        }
        nodes
    }

    fn insert(&mut self, parent: u64, name: &[u8], kind: NodeKind, fixed: bool, stamp: u64) -> u64 {
        let id = self.next;
        self.next += 1;
        self.fixed += usize::from(fixed);
        let node = Node {
            parent,
            name: name.into(),
            kind,
            fixed,
            stamp,
            lookups: 0,
            children: HashMap::new(),
        };
        self.by_id.insert(id, node);
        if let Some(above) = self.by_id.get_mut(&parent) {
            above.children.insert(name.into(), id);
        }
        id
    }

    /// The node of an id.
    pub(super) fn get(&self, id: u64) -> Option<&Node> {
        self.by_id.get(&id)
    }

    /// The node of a name. No allocation.
    pub(super) fn child(&self, parent: u64, name: &[u8]) -> Option<(u64, &Node)> {
        let id = *self.by_id.get(&parent)?.children.get(name)?;
        Some((id, self.by_id.get(&id)?))
    }

    /// The fixed nodes in a directory, oldest first: the same order each time.
    pub(super) fn fixed_children(&self, parent: u64) -> Vec<(u64, &Node)> {
        let Some(node) = self.by_id.get(&parent) else {
            return Vec::new();
        };
        let found = node
            .children
            .values()
            .filter_map(|id| Some((*id, self.by_id.get(id)?)));
        let mut found: Vec<_> = found.filter(|(_, node)| node.fixed).collect();
        found.sort_unstable_by_key(|(id, _)| *id);
        found
    }

    /// Writes the path of a node to `path`. One pass up for the length, one
    /// to copy.
    pub(super) fn path(&self, id: u64, path: &mut Vec<u8>) -> Result<(), Stale> {
        path.clear();
        let mut length = 0;
        let mut at = id;
        while at != abi::ROOT {
            let node = self.by_id.get(&at).ok_or(Stale)?;
            length += node.name.len() + 1;
            if length >= abi::PATH_MAX {
                return Err(Stale);
            }
            at = node.parent;
        }
        path.resize(length.max(1), b'/');
        at = id;
        let mut end = length;
        while at != abi::ROOT {
            let node = self.by_id.get(&at).ok_or(Stale)?;
            let start = end - node.name.len();
            path.get_mut(start..end)
                .ok_or(Stale)?
                .copy_from_slice(&node.name);
            end = start - 1;
            at = node.parent;
        }
        Ok(())
    }

    /// Counts a look-up of `name`, and makes its node when there is none. A
    /// name that has become another kind of thing gets another node: the
    /// kernel takes a node that changes its kind for broken. So does one whose
    /// stamp has changed: the kernel keeps the text of links.
    pub(super) fn remember(
        &mut self,
        parent: u64,
        name: &[u8],
        kind: NodeKind,
        stamp: u64,
    ) -> Result<u64, Full> {
        let known = self
            .child(parent, name)
            .filter(|(_, node)| node.fixed || (node.kind == kind && node.stamp == stamp));
        let id = match known {
            Some((id, _)) => id,
            None if self.remembered() >= self.limit * 2 || !self.by_id.contains_key(&parent) => {
                return Err(Full);
            }
            None => self.insert(parent, name, kind, false, stamp),
        };
        if let Some(node) = self.by_id.get_mut(&id) {
            node.lookups = node.lookups.saturating_add(1);
        }
        Ok(id)
    }

    /// The kernel takes look-ups back.
    pub(super) fn forget(&mut self, id: u64, lookups: u64) {
        if let Some(node) = self.by_id.get_mut(&id) {
            node.lookups = node.lookups.saturating_sub(lookups);
        }
        // A parent whose last child went may go too.
        let mut at = id;
        while let Some(node) = self.by_id.get(&at)
            && !node.fixed
            && node.lookups == 0
            && node.children.is_empty()
        {
            let Some(node) = self.by_id.remove(&at) else {
                break;
            };
            if let Some(above) = self.by_id.get_mut(&node.parent)
                && above.children.get(&node.name) == Some(&at)
            {
                above.children.remove(&node.name);
            }
            at = node.parent;
        }
    }

    /// Nodes that are remembered because the kernel asked.
    pub(super) fn remembered(&self) -> usize {
        self.by_id.len() - self.fixed
    }

    /// When there are more nodes than the limit: up to `most` of the oldest,
    /// each as its parent and name, for the kernel to drop. Each is offered
    /// once until all were.
    pub(super) fn surplus(&mut self, most: usize) -> Vec<(u64, Box<[u8]>)> {
        if self.remembered() <= self.limit {
            return Vec::new();
        }
        let mut chosen = Vec::new();
        let mut last = self.evicted;
        for (id, node) in self
            .by_id
            .range(self.evicted + 1..)
            .filter(|(_, node)| !node.fixed)
            .take(most)
        {
            chosen.push((node.parent, node.name.clone()));
            last = *id;
        }
        self.evicted = if chosen.len() < most { 0 } else { last };
        chosen
    }
}
