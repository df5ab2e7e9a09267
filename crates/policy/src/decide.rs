//! What the rules mean: the only place that knows.
//!
//! Grants add up. Between a grant and a deny the deepest path wins, at equal depth the deny. `/proc`, `/dev` and (unless
//! it is the host's) `/tmp` are the cage's own: granted at depth 1, except where a grant of a literal path beneath them puts the host's back.
//! A glob counts at the depth of the component that it matched; where it matches several, a grant counts from the
//! first and a deny from the last, so that a wide glob never shows what a rule hides.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::matches::{Matches, Verdict};
use crate::trie::{Node, Trie, components};
use crate::{Access, Policy, Rule, Tmp};

/// The answer to "may it?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision<'a> {
    /// Whether the policy allows it. Where it is the cage's own, the kernel has the last word.
    pub allowed: bool,
    /// Why.
    pub reason: Reason,
    /// The rule that decided, when one did.
    pub rule: Option<&'a Rule>,
    /// Whether that rule is about the path itself, and not only about a directory above it.
    pub exact: bool,
}

/// Why a [`Decision`] is what it is; it names what would have to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// A rule grants it.
    Granted,
    /// No rule grants it.
    NotGranted,
    /// A `hide` rule covers it.
    Hidden,
    /// A `protect` rule keeps it from being written.
    Protected,
    /// It may be read, but no rule grants writing.
    ReadOnly,
    /// It may be read, but no rule grants executing.
    NotExecutable,
    /// An `absent` rule answers that nothing is there.
    Absent,
    /// It is in the cage's own `/tmp`.
    OwnTmp,
    /// It is in the cage's own `/dev`.
    OwnDev,
    /// It is in the cage's own `/proc`.
    OwnProc,
}

impl Reason {
    /// A word for machines, in kebab case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::Granted => "granted",
            Reason::NotGranted => "not-granted",
            Reason::Hidden => "hidden",
            Reason::Protected => "protected",
            Reason::ReadOnly => "read-only",
            Reason::NotExecutable => "not-executable",
            Reason::Absent => "absent",
            Reason::OwnTmp => "own-tmp",
            Reason::OwnDev => "own-dev",
            Reason::OwnProc => "own-proc",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A policy's rules, prepared for many decisions. Cheap to clone and to share between threads.
#[derive(Clone, Debug)]
pub struct Decider {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    rules: Vec<Rule>,
    trie: Trie,
    own_tmp: bool,
}

impl Decider {
    pub(crate) fn new(policy: &Policy) -> Self {
        let rules = policy.rules().to_vec();
        let trie = Trie::new(&rules);
        Decider {
            inner: Arc::new(Inner {
                rules,
                trie,
                own_tmp: policy.tmp() == Tmp::Own,
            }),
        }
    }

    /// Decides one access. Allocates nothing unless a glob hangs above `path`.
    ///
    /// `path` is what was resolved: absolute, without symlinks and `..`. A relative path, or one with `..`, is not
    /// granted.
    #[must_use]
    pub fn decide(&self, access: Access, path: &Path) -> Decision<'_> {
        self.verdict(access, path).decision(&self.inner.rules, path)
    }

    /// Whether `path` is strictly above a literal path of some rule.
    #[must_use]
    pub fn is_ancestor_of_grant(&self, path: &Path) -> bool {
        let trie = &self.inner.trie;
        trie.find(path).is_some_and(|node| trie.leads_to_rule(node))
    }

    /// The rules, in the order of the policy.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.inner.rules
    }

    pub(crate) fn verdict(&self, access: Access, path: &Path) -> Verdict {
        if !path.is_absolute() || components(path).any(|c| c == b"..") {
            return Verdict {
                allowed: false,
                reason: Reason::NotGranted,
                rule: None,
            };
        }
        let matches = self.matches(path);
        let own = self.own(path).filter(|_| !matches.granted_below_top);
        matches.verdict(access, own)
    }

    /// The tree of the cage's own that `path` is in.
    fn own(&self, path: &Path) -> Option<Reason> {
        match components(path).next()? {
            b"proc" => Some(Reason::OwnProc),
            b"dev" => Some(Reason::OwnDev),
            b"tmp" if self.inner.own_tmp => Some(Reason::OwnTmp),
            _ => None,
        }
    }

    fn matches(&self, path: &Path) -> Matches {
        let trie = &self.inner.trie;
        let mut found = Matches::default();
        let mut rest = components(path);
        let (mut node, mut depth) = (trie.root(), 0);
        // Literal rules first: at equal depth they are named rather than a glob.
        while let Some(at) = node {
            for index in &at.rules {
                if let Some(rule) = self.inner.rules.get(*index) {
                    found.literal(rule.kind(), depth, *index);
                }
            }
            node = rest.next().and_then(|name| trie.child(at, name));
            depth += 1;
        }
        if !trie.has_globs() {
            return found;
        }
        let (mut node, mut rest, mut depth) = (trie.root(), components(path), 0);
        while let Some(at) = node {
            self.glob_matches(at, path, depth, &mut found);
            node = rest.next().and_then(|name| trie.child(at, name));
            depth += 1;
        }
        found
    }

    /// The globs that hang on `node`, which is at `depth` of `path`.
    fn glob_matches(&self, node: &Node, path: &Path, depth: usize, found: &mut Matches) {
        let Some(globs) = &node.globs else { return };
        let mut seen = vec![false; globs.rules.len()];
        let mut matched = Vec::new();
        let mut prefix = Vec::new();
        for (below, name) in components(path).skip(depth).enumerate() {
            if below > 0 {
                prefix.push(b'/');
            }
            prefix.extend_from_slice(name);
            globs.matches(&prefix, &mut matched);
            for place in &matched {
                let (Some(index), Some(seen)) = (globs.rules.get(*place), seen.get_mut(*place))
                else {
                    continue;
                };
                let Some(rule) = self.inner.rules.get(*index) else {
                    continue;
                };
                if !(*seen && rule.kind().is_grant()) {
                    found.best(rule.kind(), depth + below + 1, *index);
                }
                *seen = true;
            }
        }
    }
}
