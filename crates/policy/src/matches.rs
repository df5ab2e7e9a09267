//! The deepest match of each kind of rule, and what follows from them.

use std::path::Path;

use crate::trie::components;
use crate::{Access, Decision, Reason, Rule, RuleKind};

/// The deepest match of one kind: its depth, and the rule's index.
type Deepest = Option<(usize, usize)>;

/// An answer, with the rule by its depth and index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verdict {
    pub(crate) allowed: bool,
    pub(crate) reason: Reason,
    pub(crate) rule: Deepest,
}

impl Verdict {
    /// The answer about `path`, with the rule itself.
    pub(crate) fn decision<'r>(self, rules: &'r [Rule], path: &Path) -> Decision<'r> {
        Decision {
            allowed: self.allowed,
            reason: self.reason,
            rule: self.rule.and_then(|(_, index)| rules.get(index)),
            exact: self
                .rule
                .is_some_and(|(depth, _)| depth == components(path).count()),
        }
    }
}

/// The deepest match of each kind.
#[derive(Default)]
pub(crate) struct Matches {
    kinds: [Deepest; RuleKind::ALL.len()],
    /// A grant of a literal path deeper than the top level: where the cage's own trees give way to the host's.
    pub(crate) granted_below_top: bool,
}

impl Matches {
    pub(crate) fn literal(&mut self, kind: RuleKind, depth: usize, rule: usize) {
        if kind.is_grant() && depth > 1 {
            self.granted_below_top = true;
        }
        self.best(kind, depth, rule);
    }

    /// Keeps the deeper one, and the first of equals.
    pub(crate) fn best(&mut self, kind: RuleKind, depth: usize, rule: usize) {
        if let Some(slot) = self.kinds.get_mut(kind as usize)
            && slot.is_none_or(|(best, _)| depth > best)
        {
            *slot = Some((depth, rule));
        }
    }

    /// The deepest rule of the kinds that `wanted` picks.
    fn deepest(&self, wanted: impl Fn(RuleKind) -> bool) -> Deepest {
        let mut best: Deepest = None;
        for (kind, slot) in RuleKind::ALL.iter().zip(self.kinds) {
            if let Some((depth, _)) = slot
                && wanted(*kind)
                && best.is_none_or(|(deepest, _)| depth > deepest)
            {
                best = slot;
            }
        }
        best
    }

    pub(crate) fn verdict(&self, access: Access, own: Option<Reason>) -> Verdict {
        let grant = |access| {
            let rule = self.deepest(|kind| kind.grants(access));
            match own {
                // The cage's own tree grants everything, at the top level.
                Some(_) => Some(rule.map_or(1, |(depth, _)| depth.max(1))),
                None => rule.map(|(depth, _)| depth),
            }
        };
        let deny = |kind| self.deepest(|k| k == kind);
        let refused = |reason, rule| Verdict {
            allowed: false,
            reason,
            rule,
        };

        let readable = grant(Access::Read);
        let (hide, absent) = (deny(RuleKind::Hide), deny(RuleKind::Absent));
        let (concealed, reason) = match (hide, absent) {
            (None, Some(_)) => (absent, Reason::Absent),
            (Some((hide, _)), Some((deeper, _))) if deeper > hide => (absent, Reason::Absent),
            _ => (hide, Reason::Hidden),
        };
        if let Some((depth, _)) = concealed
            && readable.is_none_or(|granted| granted <= depth)
        {
            return refused(reason, concealed);
        }

        let wanted = grant(access);
        let denied = self.deepest(|kind| kind.denies(access));
        if let Some(depth) = wanted
            && denied.is_none_or(|(denied, _)| depth > denied)
        {
            let rule = self.deepest(|kind| kind.grants(access));
            let (reason, rule) = own.map_or((Reason::Granted, rule), |own| (own, None));
            return Verdict {
                allowed: true,
                reason,
                rule,
            };
        }

        let protect = deny(RuleKind::Protect).filter(|_| access == Access::Write);
        if let Some((depth, _)) = protect
            && wanted.is_none_or(|granted| granted <= depth)
        {
            return refused(Reason::Protected, protect);
        }
        let reads = self.deepest(|kind| kind.grants(Access::Read));
        match (readable, access) {
            (None, _) => refused(Reason::NotGranted, None),
            (Some(_), Access::Exec) => refused(Reason::NotExecutable, reads),
            // What may be read and is refused is written: a read that is refused was concealed above.
            (Some(_), _) => refused(Reason::ReadOnly, reads),
        }
    }
}
