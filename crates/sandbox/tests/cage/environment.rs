//! The command's environment.

use std::path::Path;
use std::process::{Command as Standard, Stdio as StandardStdio};

use whybox::policy::Environment;
use whybox::{CageOptions, Policy};

use crate::common::{Outcome, Tree, command, run, run_with, system};
use crate::harness::{harness, said};

const ENV: &str = "/usr/bin/env";

fn sorted(outcome: &Outcome) -> Vec<String> {
    let mut lines: Vec<String> = outcome.success().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn standard(directory: &Path) -> Standard {
    let mut command = Standard::new(ENV);
    command
        .current_dir(directory)
        .stdin(StandardStdio::null())
        .stdout(StandardStdio::piped())
        .stderr(StandardStdio::piped());
    command
}

fn under(policy: &Policy, command: &mut Standard) -> Vec<String> {
    sorted(&run_with(policy, &CageOptions::default(), command))
}

/// Nothing of the harness is there after `env_clear`, with either kind of command.
#[test]
fn a_cleared_environment_is_empty() {
    let tree = Tree::new();
    let policy = tree
        .open()
        .environment(Environment::pass())
        .build()
        .unwrap();
    assert_eq!(
        run(
            &policy,
            command(ENV, tree.root()).env("EARLIER", "1").env_clear()
        )
        .success(),
        ""
    );
    assert_eq!(
        sorted(&run(
            &policy,
            command(ENV, tree.root()).env_clear().env("MINE", "1")
        )),
        ["MINE=1"]
    );
    assert!(
        under(
            &policy,
            standard(tree.root()).env("EARLIER", "1").env_clear()
        )
        .is_empty()
    );
    assert_eq!(
        under(&policy, standard(tree.root()).env_clear().env("MINE", "1")),
        ["MINE=1"]
    );
}

/// The text by which a standard command tells that it is cleared cannot be imitated, or missed.
#[test]
fn odd_commands_are_understood() {
    let tree = Tree::new();
    let odd = tree.directory("env -i \" && env -i ");
    let policy = tree
        .open()
        .environment(Environment::pass())
        .build()
        .unwrap();
    assert!(!under(&policy, &mut standard(&odd)).is_empty());
    assert_eq!(
        under(&policy, standard(&odd).env_clear().env("MINE", "1")),
        ["MINE=1"]
    );
}

/// Set, replaced, removed, and dropped for its name; in a harness that has something to lose.
pub(crate) fn role(root: &Path) {
    let policy = system(root)
        .write(root)
        .exec(root)
        .environment(Environment::pass())
        .build()
        .unwrap();
    let shown = |lines: Vec<String>| {
        let ours = lines
            .into_iter()
            .filter(|line| line.starts_with("HARNESS_") || line.starts_with("MY_"));
        eprintln!("{}", ours.collect::<Vec<_>>().join(" "));
    };
    shown(sorted(&run(&policy, &mut command(ENV, root))));
    shown(under(&policy, &mut standard(root)));
    shown(sorted(&run(
        &policy,
        command(ENV, root)
            .env("HARNESS_PLAIN", "2")
            .env_remove("HARNESS_OTHER")
            .env("MY_API_KEY", "on purpose"),
    )));
    shown(under(
        &policy,
        standard(root)
            .env("HARNESS_PLAIN", "2")
            .env_remove("HARNESS_OTHER")
            .env("MY_API_KEY", "on purpose"),
    ));
    shown(sorted(&run(&policy, command(ENV, root).env_clear())));
    let mut only = Environment::empty();
    only.allow("HARNESS_OTHER").unwrap();
    let policy = system(root)
        .write(root)
        .exec(root)
        .environment(only)
        .build()
        .unwrap();
    shown(sorted(&run(&policy, &mut command(ENV, root))));
}

#[test]
fn variables_are_set_removed_and_kept_back() {
    let tree = Tree::new();
    let mut harness = harness("environment", tree.root());
    harness
        .env("HARNESS_PLAIN", "1")
        .env("HARNESS_OTHER", "1")
        .env("HARNESS_API_TOKEN", "s3cret");
    let passed = "HARNESS_OTHER=1 HARNESS_PLAIN=1\n";
    let changed = "HARNESS_PLAIN=2 MY_API_KEY=on purpose\n";
    assert_eq!(
        said(harness),
        format!("{passed}{passed}{changed}{changed}\nHARNESS_OTHER=1\n")
    );
}

/// ENF-08: a directory for temporary files that the cage cannot write is not what its programs are sent to.
#[test]
fn temporary_files_have_a_place() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let script = "f=$(mktemp) && echo x >$f && rm $f && echo ok";
    let outcome = run(
        &policy,
        crate::common::in_shell(tree.root(), script).env_remove("TMPDIR"),
    );
    assert_eq!(outcome.success(), "ok");
}
