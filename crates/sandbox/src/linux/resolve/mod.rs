//! From the policy as written to the paths of this host.
//!
//! A rule on a symlink holds for the link's name and for what it leads to; a glob holds, at the start, for
//! what matches then; a rule on a missing path is kept and listed.

mod globs;
mod lookup;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

pub(crate) use lookup::{Kind, lookup};
use whybox_policy::{Access, Decider, Pattern, Policy, Rule, RuleKind, Source};
use whybox_record::Unenforced;

use crate::Error;

/// A policy, and what of it lies where on this host.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// The policy with the resolved spellings added.
    pub(crate) policy: Policy,
    /// The same, prepared.
    pub(crate) decider: Decider,
    /// Paths without symlinks that rules speak of and that exist.
    pub(crate) present: BTreeMap<PathBuf, Kind>,
    /// Directories that could not be examined for what a rule hides or protects: nothing beneath them is shown.
    pub(crate) closed: Vec<PathBuf>,
    /// Symlinks that rules speak of.
    pub(crate) links: Vec<PathBuf>,
    /// Rules that are not enforced as things are.
    pub(crate) unenforced: Vec<Unenforced>,
}

/// Looks up what the rules of a policy speak of.
///
/// # Errors
/// A glob that matches more than can be mounted, unless `globs_may_be_cut`.
pub(crate) fn resolve(policy: &Policy, globs_may_be_cut: bool) -> Result<Resolved, Error> {
    let mut resolved = policy.clone();
    let (mut present, mut links, mut missing) = (BTreeMap::new(), Vec::new(), Vec::new());
    let (mut closed, mut linked) = (Vec::new(), Vec::new());
    for rule in policy.rules() {
        let Some(path) = rule.pattern().as_path() else {
            continue;
        };
        match lookup(path) {
            Ok((real, kind)) => {
                if real != path {
                    links.extend(symlinks_of(path));
                    if !rule.kind().is_grant() && real.file_name() != path.file_name() {
                        linked.push(rule);
                    }
                    if let Ok(pattern) = Pattern::path(&real) {
                        resolved = resolved.with_path_rule(rule.with_pattern(pattern));
                    }
                }
                // The host itself keeps this user from it: a mount that does so again would cost every start.
                let needless =
                    rule.kind() == RuleKind::Hide && of_preset(rule) && !reachable(&real);
                if !needless {
                    present.insert(real, kind);
                }
            }
            Err(errno) => {
                // The command runs as the same user and may open a closed directory of its own. So what is behind it is
                // hidden with it.
                if !rule.kind().is_grant() && !is_missing(errno) {
                    closed.extend(
                        path.ancestors()
                            .find_map(|above| lookup(above).ok())
                            .map(|(real, _)| real),
                    );
                }
                missing.push((rule, errno));
            }
        }
    }
    let globs = globs::find(policy, globs_may_be_cut)?;
    present.extend(globs.present);
    closed.extend(globs.closed);
    let decider = resolved.decider();
    let mut unenforced: Vec<Unenforced> = missing
        .into_iter()
        .filter_map(|(rule, errno)| unenforced(&decider, rule, errno))
        .collect();
    unenforced.extend(globs.unenforced);
    // Nothing can be mounted over a link itself.
    unenforced.extend(linked.into_iter().filter_map(|rule| {
        let above = rule.pattern().as_path()?.parent()?;
        let loose = decider.decide(Access::Write, above).allowed;
        loose.then(|| {
            entry(
                rule,
                "is a link: what it leads to is covered, but the link itself can be replaced"
                    .to_owned(),
            )
        })
    }));
    links.sort();
    links.dedup();
    Ok(Resolved {
        policy: resolved,
        decider,
        present,
        closed,
        links,
        unenforced,
    })
}

/// The components of a path that are symlinks themselves.
/// Every link on the way from a path to what it leads to.
fn symlinks_of(path: &Path) -> Vec<PathBuf> {
    /// As many as the kernel follows; see path_resolution(7).
    const MOST: usize = 40;
    let mut found: Vec<PathBuf> = Vec::new();
    let mut rest = vec![path.to_path_buf()];
    while let Some(path) = rest.pop() {
        for name in path.ancestors() {
            let Ok(target) = std::fs::read_link(name) else {
                continue;
            };
            // Where the link itself is: its directory may be reached through others, and `..` counts from there.
            let (Some(above), Some(last)) = (name.parent(), name.file_name()) else {
                continue;
            };
            let Ok((directory, _)) = lookup(above) else {
                continue;
            };
            let link = directory.join(last);
            if found.len() == MOST || found.contains(&link) {
                continue;
            }
            found.push(link);
            let next = directory.join(target);
            rest.extend(
                Pattern::path(&next)
                    .ok()
                    .and_then(|pattern| pattern.as_path().map(Path::to_path_buf)),
            );
        }
    }
    found
}

/// Whether an error says that nothing is there. A link that leads to itself leads nowhere.
fn is_missing(errno: Errno) -> bool {
    matches!(errno, Errno::NOENT | Errno::NOTDIR | Errno::LOOP)
}

/// Why a rule on a path that is not there is not enforced, if it is not.
fn unenforced(decider: &Decider, rule: &Rule, errno: Errno) -> Option<Unenforced> {
    let path = rule.pattern().as_path()?;
    let above = path.parent().unwrap_or(path);
    // A tool that is not installed is no shortcoming.
    let matters = match rule.kind() {
        kind if kind.is_grant() => !of_preset(rule) && !granted_above(decider, rule.kind(), above),
        // The ghost hides and refuses names that appear later; a granted tree shows them.
        RuleKind::Hide | RuleKind::Absent => decider.decide(Access::Read, above).allowed,
        RuleKind::Protect => decider.decide(Access::Write, above).allowed,
        _ => true,
    };
    let reason = match errno {
        errno if is_missing(errno) => {
            "does not exist; a name that appears during the run is not covered yet".to_owned()
        }
        errno => format!(
            "cannot be looked up ({errno}); the directory where that fails is hidden as a whole"
        ),
    };
    matters.then(|| entry(rule, reason))
}

fn of_preset(rule: &Rule) -> bool {
    matches!(rule.source(), Source::Preset { .. })
}

/// Whether this user may read, list or enter a path.
fn reachable(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD};
    [Access::READ_OK, Access::EXEC_OK]
        .into_iter()
        .any(|access| {
            rustix::fs::accessat(CWD, path, access, AtFlags::EACCESS) != Err(Errno::ACCESS)
        })
}

fn granted_above(decider: &Decider, kind: RuleKind, above: &Path) -> bool {
    [Access::Read, Access::Write, Access::Exec]
        .into_iter()
        .filter(|access| kind.grants(*access))
        .all(|access| decider.decide(access, above).allowed)
}

/// An entry for the coverage.
pub(crate) fn entry(rule: &Rule, reason: String) -> Unenforced {
    let source = match rule.source() {
        Source::File { path, line, column } => Some(format!("{}:{line}:{column}", path.display())),
        Source::Preset { name, .. } => Some(format!("preset {name}")),
        _ => None,
    };
    // A preset displays as its name alone; here the path is what matters.
    let rule = match rule.source() {
        Source::Preset { .. } => format!("{} {:?}", rule.kind(), rule.written()),
        _ => rule.to_string(),
    };
    Unenforced::new(rule, source, reason)
}
