//! What the globs of a policy match at the start.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;
use whybox_policy::{GlobMatcher, Pattern, Policy, Rule, RuleKind};
use whybox_record::Unenforced;

use super::{Kind, entry, lookup};
use crate::Error;

/// More matches than this are not mounted one by one: at 1,000 a mount costs 22 us, and more the more there are.
const MOST: usize = 1_000;

/// What was found.
#[derive(Default)]
pub(super) struct Globs {
    pub(super) present: BTreeMap<PathBuf, Kind>,
    pub(super) closed: Vec<PathBuf>,
    pub(super) unenforced: Vec<Unenforced>,
}

struct Walked<'a> {
    rule: &'a Rule,
    matcher: GlobMatcher,
    /// How many components a match can have, unless it has any number.
    depth: Option<usize>,
}

/// Walks each directory that globs hang on once.
pub(super) fn find(policy: &Policy, may_be_cut: bool) -> Result<Globs, Error> {
    let mut by_base: BTreeMap<&Path, Vec<Walked<'_>>> = BTreeMap::new();
    for rule in policy.rules() {
        let Pattern::Glob(glob) = rule.pattern() else {
            continue;
        };
        let depth =
            (!glob.pattern().contains("**")).then(|| glob.pattern().matches('/').count() + 1);
        let walked = Walked {
            rule,
            matcher: glob.matcher(),
            depth,
        };
        by_base.entry(glob.base()).or_default().push(walked);
    }
    let mut found = Globs::default();
    for (base, walked) in by_base {
        walk(base, &walked, &mut found, may_be_cut)?;
        for one in walked {
            found.unenforced.push(entry(
                one.rule,
                "a glob covers what exists at the start of the run".to_owned(),
            ));
        }
    }
    Ok(found)
}

fn walk(
    base: &Path,
    globs: &[Walked<'_>],
    found: &mut Globs,
    may_be_cut: bool,
) -> Result<(), Error> {
    let deepest = globs
        .iter()
        .map(|one| one.depth)
        .try_fold(0, |most, depth| depth.map(|depth| most.max(depth)));
    let mut walk = WalkDir::new(base)
        .min_depth(1)
        .max_depth(deepest.unwrap_or(usize::MAX))
        .into_iter();
    while let Some(next) = walk.next() {
        let next = match next {
            Ok(next) => next,
            Err(error) => {
                unexamined(&error, globs, found, may_be_cut)?;
                continue;
            }
        };
        let Some(one) = globs.iter().find(|one| one.matcher.is_match(next.path())) else {
            continue;
        };
        // What a link leads to is judged where it is; the link alone holds nothing.
        if next.file_type().is_symlink() {
            continue;
        }
        if found.present.len() == MOST {
            if may_be_cut {
                return Ok(());
            }
            return Err(Error::too_many_matches(one.rule, MOST));
        }
        let kind = if next.file_type().is_dir() {
            Kind::Directory
        } else {
            Kind::File
        };
        found.present.insert(next.into_path(), kind);
        if kind == Kind::Directory && one.rule.kind() == RuleKind::Hide {
            walk.skip_current_dir();
        }
    }
    Ok(())
}

/// A directory that cannot be listed may hold matches, and the command, which runs as the same user, may be able to open
/// it later: it is hidden as a whole. One that has gone meanwhile needs nothing.
fn unexamined(
    error: &walkdir::Error,
    globs: &[Walked<'_>],
    found: &mut Globs,
    may_be_cut: bool,
) -> Result<(), Error> {
    let gone = error
        .io_error()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    if gone || globs.iter().all(|one| one.rule.kind().is_grant()) {
        return Ok(());
    }
    match error.path().map(lookup) {
        Some(Ok((real, _))) => found.closed.push(real),
        // Its name is too long to be mounted over.
        _ if may_be_cut => {}
        _ => return Err(Error::unexamined(error)),
    }
    Ok(())
}
