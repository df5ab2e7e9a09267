//! What happens when rules of different minds name exactly the same path.

use crate::{ErrorKind, PolicyError, Rule, RuleKind};

/// Adds a rule to others.
///
/// Of two authors the closer one has the last word: a flag over a file, a file over a preset. Only a deny is ever
/// removed; a grant that loses stays, and the deny wins when it is decided.
pub(crate) fn add(rules: &mut Vec<Rule>, rule: Rule) -> Result<(), PolicyError> {
    let rank = |rule: &Rule| rule.source().rank();
    let rivals = || {
        rules.iter().filter(|other| {
            other.pattern() == rule.pattern() && excludes(other.kind(), rule.kind())
        })
    };
    if let Some(rival) = rivals().find(|other| rank(other) == rank(&rule)) {
        return Err(contradiction(rival, &rule));
    }
    if !rule.kind().is_grant() && rivals().any(|other| rank(other) > rank(&rule)) {
        return Ok(());
    }
    rules.retain(|other| {
        let overridden = other.pattern() == rule.pattern()
            && excludes(other.kind(), rule.kind())
            && rank(other) < rank(&rule)
            && !other.kind().is_grant();
        !overridden && *other != rule
    });
    rules.push(rule);
    Ok(())
}

/// Whether two kinds on one path cannot both be meant.
fn excludes(a: RuleKind, b: RuleKind) -> bool {
    use RuleKind::{Absent, Exec, Hide, Protect, Read, Write};
    matches!(
        (a.min(b), a.max(b)),
        (Read | Write | Exec, Hide | Absent) | (Write, Protect) | (Hide, Absent)
    )
}

fn contradiction(one: &Rule, other: &Rule) -> PolicyError {
    let text = format!(
        "`{other}` contradicts `{one}`: both name exactly the same path; remove one of them, or name a deeper path"
    );
    PolicyError::new(ErrorKind::Contradiction, text)
}
