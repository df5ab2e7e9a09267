//! Rules by the path that they hang on, for look-ups that cost a few steps and no allocation.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use globset::{Candidate, GlobSet};

use crate::{Glob, Pattern, Rule};

/// The components of a path, without the empty ones and `.`.
pub(crate) fn components(path: &Path) -> impl Iterator<Item = &[u8]> {
    path.as_os_str()
        .as_bytes()
        .split(|b| *b == b'/')
        .filter(|c| !c.is_empty() && *c != b".")
}

/// A tree of path components; node 0 is `/`.
#[derive(Debug)]
pub(crate) struct Trie {
    nodes: Vec<Node>,
    has_globs: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Sorted by name.
    children: Vec<(Box<[u8]>, usize)>,
    /// Indices of the rules on exactly this path, in canonical order.
    pub(crate) rules: Vec<usize>,
    pub(crate) globs: Option<Globs>,
}

/// The globs that share a base.
#[derive(Debug)]
pub(crate) struct Globs {
    /// One set of all, or one for each where all together are too large.
    sets: Vec<GlobSet>,
    /// Indices of their rules, in canonical order; the sets number their globs the same way.
    pub(crate) rules: Vec<usize>,
}

impl Globs {
    fn new(list: &[(usize, &Glob)]) -> Self {
        let sets = match GlobSet::new(list.iter().map(|(_, glob)| glob.inner())) {
            Ok(set) => vec![set],
            Err(_) => list.iter().map(|(_, glob)| glob.set()).collect(),
        };
        Globs {
            sets,
            rules: list.iter().map(|(index, _)| *index).collect(),
        }
    }

    /// Replaces `matched` with the positions (in `rules`) of the globs that `rest` itself matches.
    pub(crate) fn matches(&self, rest: &[u8], matched: &mut Vec<usize>) {
        let candidate = Candidate::new(OsStr::from_bytes(rest));
        if let [all] = self.sets.as_slice() {
            all.matches_candidate_into(&candidate, matched);
        } else {
            matched.clear();
            let each = self.sets.iter().enumerate();
            matched.extend(
                each.filter(|(_, set)| set.is_match_candidate(&candidate))
                    .map(|(place, _)| place),
            );
        }
    }
}

impl Trie {
    /// A tree of `rules`, taken in canonical order so that the order they were written in cannot show.
    pub(crate) fn new(rules: &[Rule]) -> Self {
        let mut trie = Trie {
            nodes: vec![Node::default()],
            has_globs: false,
        };
        let mut order: Vec<usize> = (0..rules.len()).collect();
        order.sort_by(|a, b| rules.get(*a).cmp(&rules.get(*b)));
        let mut globs: Vec<(usize, Vec<(usize, &Glob)>)> = Vec::new();
        for index in order {
            let Some(rule) = rules.get(index) else {
                continue;
            };
            match rule.pattern() {
                Pattern::Path(path) => {
                    let node = trie.insert(path);
                    if let Some(node) = trie.nodes.get_mut(node) {
                        node.rules.push(index);
                    }
                }
                Pattern::Glob(glob) => {
                    let node = trie.insert(glob.base());
                    match globs.iter_mut().find(|(n, _)| *n == node) {
                        Some((_, list)) => list.push((index, glob)),
                        None => globs.push((node, vec![(index, glob)])),
                    }
                }
            }
        }
        trie.has_globs = !globs.is_empty();
        for (node, list) in globs {
            if let Some(node) = trie.nodes.get_mut(node) {
                node.globs = Some(Globs::new(&list));
            }
        }
        trie
    }

    fn insert(&mut self, path: &Path) -> usize {
        let mut at = 0;
        for name in components(path) {
            let next = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else {
                return at;
            };
            match node.search(name) {
                Ok(child) => at = child,
                Err(place) => {
                    node.children.insert(place, (name.into(), next));
                    self.nodes.push(Node::default());
                    at = next;
                }
            }
        }
        at
    }

    pub(crate) const fn has_globs(&self) -> bool {
        self.has_globs
    }

    pub(crate) fn root(&self) -> Option<&Node> {
        self.nodes.first()
    }

    pub(crate) fn child(&self, node: &Node, name: &[u8]) -> Option<&Node> {
        node.search(name)
            .ok()
            .and_then(|child| self.nodes.get(child))
    }

    /// The node of exactly `path`.
    pub(crate) fn find(&self, path: &Path) -> Option<&Node> {
        components(path).try_fold(self.root()?, |node, name| self.child(node, name))
    }

    /// Whether a rule hangs on a literal path strictly beneath `node`.
    pub(crate) fn leads_to_rule(&self, node: &Node) -> bool {
        node.children
            .iter()
            .filter_map(|(_, child)| self.nodes.get(*child))
            .any(|child| {
                // Every leaf carries rules or globs; only bases of globs need a look further down.
                !child.rules.is_empty() || self.leads_to_rule(child)
            })
    }
}

impl Node {
    fn search(&self, name: &[u8]) -> Result<usize, usize> {
        match self.children.binary_search_by(|(n, _)| (**n).cmp(name)) {
            Ok(place) => Ok(self.children.get(place).map_or(0, |(_, child)| *child)),
            Err(place) => Err(place),
        }
    }
}
