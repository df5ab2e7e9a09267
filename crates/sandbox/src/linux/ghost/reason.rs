//! Why: from the policy's answer to the record's reason.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use whybox_policy::{Decision, Reason, Rule, Source};
use whybox_record::{DeniedBy, DeniedByKind};

/// The reasons of one policy, each made once. A policy has few.
#[derive(Debug, Default)]
pub(crate) struct Reasons {
    made: Mutex<HashMap<(DeniedByKind, usize), Arc<DeniedBy>>>,
}

impl Reasons {
    /// The reason for what a witness refuses although, or because, the policy
    /// decided so. All decisions must come from the same `Decider`.
    pub(crate) fn of(&self, decision: &Decision<'_>) -> Arc<DeniedBy> {
        self.of_kind(kind(decision), decision.rule)
    }

    /// A reason of a given kind.
    pub(crate) fn of_kind(&self, kind: DeniedByKind, rule: Option<&Rule>) -> Arc<DeniedBy> {
        // The rules of a policy stay where they are as long as it lives.
        let place = rule.map_or(0, |rule| std::ptr::from_ref(rule).addr());
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = made
            .entry((kind, place))
            .or_insert_with(|| Arc::new(denied_by(kind, rule)));
        Arc::clone(reason)
    }
}

/// The kind of reason. What the policy allows and a witness meets all the same
/// is granted, but was not there when the cage was made.
fn kind(decision: &Decision<'_>) -> DeniedByKind {
    match decision.reason {
        Reason::Granted => DeniedByKind::Stale,
        Reason::Hidden => DeniedByKind::Hidden,
        Reason::Protected => DeniedByKind::ProtectedName,
        Reason::ReadOnly => DeniedByKind::ReadOnly,
        Reason::NotExecutable => DeniedByKind::NotExecutable,
        Reason::Absent => DeniedByKind::Absent,
        Reason::OwnTmp => DeniedByKind::OwnTmp,
        Reason::OwnDev => DeniedByKind::OwnDev,
        Reason::OwnProc => DeniedByKind::OwnProc,
        _ => DeniedByKind::NotGranted,
    }
}

/// A reason in the record's words: the rule as its author wrote it, and where.
fn denied_by(kind: DeniedByKind, rule: Option<&Rule>) -> DeniedBy {
    let reason = DeniedBy::new(kind);
    let Some(rule) = rule else { return reason };
    let source = match rule.source() {
        // A flag displays as it was typed, and so says where it is from.
        Source::Flag => return reason.with_rule(rule.to_string()),
        Source::Preset { name, .. } => Some(format!("preset {name}")),
        Source::File { path, line, column } => Some(format!("{}:{line}:{column}", path.display())),
        Source::Builtin => Some("built in".to_owned()),
        _ => None,
    };
    let reason = reason.with_rule(format!("{} {:?}", rule.kind(), rule.written()));
    match source {
        Some(source) => reason.with_source(source),
        None => reason,
    }
}
