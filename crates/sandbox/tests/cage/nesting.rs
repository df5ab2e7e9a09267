//! Rules within rules, and rules on symlinks: the most specific path wins, whatever the order.

use std::fs;

use whybox::Policy;
use whybox::policy::PolicyBuilder;

use crate::common::{Tree, shell};

type Rule = fn(PolicyBuilder) -> PolicyBuilder;

/// ENF-20: hide, in it read, in it write, in it hide; in each of the 24 orders.
#[test]
fn nested_rules_hold_in_any_order() {
    let rules: [Rule; 4] = [
        |policy| policy.hide("top"),
        |policy| policy.read("top/project"),
        |policy| policy.write("top/project/state"),
        |policy| policy.hide("top/project/state/private"),
    ];
    let tree = Tree::new();
    tree.file("top/secret", "s3cret");
    tree.file("top/project/file", "file");
    tree.file("top/project/state/file", "state");
    tree.file("top/project/state/private/key", "s3cret");
    let script = "cat top/secret; cat top/project/file; touch top/project/new; cat top/project/state/file; \
                  echo x >top/project/state/made && echo made; ls top/project/state/private; cat top/project/state/private/key; \
                  touch top/project/state/private/new; ls top; exit 0";
    for order in 0..24 {
        let mut left: Vec<Rule> = rules.to_vec();
        let mut policy = tree.system().write(tree.root()).exec(tree.root());
        for (size, divisor) in [(4, 6), (3, 2), (2, 1), (1, 1)] {
            policy = left.remove(order / divisor % size)(policy);
        }
        let outcome = shell(&policy.build().unwrap(), tree.root(), script);
        assert_eq!(
            outcome.out, "filestatemade\n",
            "order {order}: {}",
            outcome.err
        );
        fs::remove_file(tree.path("top/project/state/made")).unwrap();
    }
    assert!(
        !tree.path("top/project/new").exists()
            && !tree.path("top/project/state/private/new").exists()
    );
}

#[track_caller]
fn touches(policy: &Policy, tree: &Tree, names: &[&str]) {
    for name in names {
        shell(policy, tree.root(), &format!("echo x >{name}")).success();
        fs::remove_file(tree.path(name)).unwrap();
    }
}

/// ENF-19, ENF-34: a grant on a symlink grants what it leads to, under both names.
#[test]
fn a_grant_on_a_symlink_holds_for_both_names() {
    let tree = Tree::new();
    tree.directory("real/tool");
    tree.directory("home");
    tree.link(tree.path("real/tool"), "home/.tool");
    tree.link("home", "home2");
    for spelling in ["home/.tool", "home2/.tool", "real/tool"] {
        let policy = tree.system().read("home").write(spelling).build().unwrap();
        touches(&policy, &tree, &["real/tool/x", "home/.tool/x"]);
        assert!(
            !shell(&policy, tree.root(), "echo x >home/x")
                .status
                .success(),
            "control"
        );
    }
    let policy = tree.system().write("home2/.tool").build().unwrap();
    touches(&policy, &tree, &["real/tool/x", "home2/.tool/x"]);
}

/// ENF-07: a rule that takes holds for the link and for what it leads to.
#[test]
fn a_hide_on_a_symlink_holds_for_both_names() {
    let tree = Tree::new();
    tree.file("real/key", "s3cret");
    tree.file("other/key", "other");
    tree.link("real", "link");
    tree.link("../other/key", "real/file link");
    let control = shell(
        &tree.open().build().unwrap(),
        tree.root(),
        "cat real/key link/key other/key",
    );
    assert_eq!(control.success(), "s3crets3cretother");
    let policy = tree.open().hide("link").build().unwrap();
    let outcome = shell(
        &policy,
        tree.root(),
        "cat real/key; cat link/key; cat other/key",
    );
    assert_eq!((outcome.code(), outcome.out.as_str()), (0, "other"));
    let policy = tree.open().hide("real/file link").build().unwrap();
    let outcome = shell(
        &policy,
        tree.root(),
        "cat 'real/file link'; cat other/key; cat real/key",
    );
    assert_eq!(
        (outcome.code(), outcome.out.as_str()),
        (0, "s3cret"),
        "{}",
        outcome.err
    );
}

/// ENF-07, ENF-24: so does one that protects.
#[test]
fn a_protected_symlink_protects_its_target() {
    let tree = Tree::new();
    tree.file("real/file", "old");
    tree.link("real", ".cfg");
    let policy = tree.open().protect(".cfg").build().unwrap();
    let outcome = shell(
        &policy,
        tree.root(),
        "echo started; echo x >real/file; echo x >.cfg/file; echo x >real/new; cat .cfg/file",
    );
    assert_eq!(outcome.out, "started\nold");
    assert_eq!(tree.read("real/file"), "old");
    assert!(!tree.path("real/new").exists());
    shell(
        &tree.open().build().unwrap(),
        tree.root(),
        "echo x >.cfg/file",
    )
    .success();
    assert_eq!(tree.read("real/file"), "x\n", "control");
}

/// H15, H19, LIF-01, ENF-18: a rule on a path that is not there does not fail the start, makes nothing, and is listed.
#[test]
fn a_rule_on_a_missing_path_is_kept_and_listed() {
    use whybox::{Cage, CageOptions, Grants};
    let tree = Tree::new();
    tree.file(".git", "gitdir: /nowhere");
    let before = names(&tree);
    let policy = tree
        .open()
        .hide("later")
        .protect(".git/hooks")
        .read("/var/tmp/whybox-test-nowhere/x")
        .build()
        .unwrap();
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    let mut run = cage
        .spawn(
            &mut crate::common::in_shell(tree.root(), "ls -A"),
            &Grants::new(),
        )
        .unwrap();
    let unenforced: Vec<String> = run
        .coverage()
        .unenforced
        .iter()
        .map(|one| one.rule.clone())
        .collect();
    assert!(run.wait().unwrap().success());
    for rule in ["later", ".git/hooks", "/var/tmp/whybox-test-nowhere/x"] {
        assert!(
            unenforced.iter().any(|one| one.contains(rule)),
            "{rule}: {unenforced:?}"
        );
    }
    assert_eq!(names(&tree), before, "no name appears on the host");
}

fn names(tree: &Tree) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> = fs::read_dir(tree.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    names
}

/// S2: a single file is granted, its neighbours are not, and the grant outlives its replacement where it is made.
#[test]
fn a_single_file_is_granted_alone() {
    let (tree, outside) = (Tree::new(), Tree::new());
    let one = outside.file("one", "one");
    outside.file("two", "two");
    let policy = tree.open().write(&one).build().unwrap();
    let script = format!(
        "cd {} && cat one; cat two; echo changed >one; echo x >three; cat one",
        outside.root().display()
    );
    let outcome = shell(&policy, tree.root(), &script);
    assert_eq!(outcome.out, "onechanged\n", "{}", outcome.err);
    assert!(!outside.path("three").exists());
}

/// ENF-57: what a glob matches at the start is covered, and the coverage says that later names are not.
#[test]
fn a_glob_covers_what_is_there() {
    let tree = Tree::new();
    tree.file("a/.env", "s3cret");
    tree.file("b/c/.env", "s3cret");
    tree.file("b/c/env", "plain");
    let policy = tree.open().hide("**/.env").build().unwrap();
    let outcome = shell(
        &policy,
        tree.root(),
        "cat a/.env; cat b/c/.env; cat b/c/env",
    );
    assert_eq!(outcome.success(), "plain");
    assert_eq!(outcome.record.denials().count(), 2);
    assert!(
        outcome
            .record
            .coverage
            .unenforced
            .iter()
            .any(|one| one.rule.contains("**/.env"))
    );
}
