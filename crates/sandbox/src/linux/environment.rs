//! The command's environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use whybox_policy::{Access, Decider, Policy, Reason};

/// Variables that name a directory for temporary files.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// What the command is given.
#[derive(Debug)]
pub(crate) struct Environment {
    pub(crate) variables: Vec<(OsString, OsString)>,
}

/// The harness's variables as the policy passes them, with the command's own changes on top. One that names a
/// directory for temporary files which the cage cannot write to names the cage's own instead.
pub(crate) fn environment(
    policy: &Policy,
    decider: &Decider,
    clear: bool,
    changes: impl Iterator<Item = (OsString, Option<OsString>)>,
) -> Environment {
    let inherited = (!clear).then(std::env::vars_os).into_iter().flatten();
    let resolved = policy.environment().resolve(inherited);
    let mut variables: BTreeMap<OsString, OsString> = resolved.vars.into_iter().collect();
    for name in TEMPORARY {
        if let Some(value) = variables.get_mut(OsStr::new(name))
            && !usable(decider, Path::new(value))
            && decider.decide(Access::Write, Path::new("/tmp")).allowed
        {
            *value = OsString::from("/tmp");
        }
    }
    for (name, value) in changes {
        match value {
            Some(value) => variables.insert(name, value),
            None => variables.remove(&name),
        };
    }
    Environment {
        variables: variables.into_iter().collect(),
    }
}

fn usable(decider: &Decider, directory: &Path) -> bool {
    let decision = decider.decide(Access::Write, directory);
    // Beneath the own /tmp nothing is there yet but its root.
    decision.allowed && (decision.reason != Reason::OwnTmp || directory == Path::new("/tmp"))
}
