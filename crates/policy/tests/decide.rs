//! What the rules mean, case by case (S2, V4).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use whybox_policy::{Access, Context, Policy, PolicyBuilder, Reason, Tmp};

fn ctx() -> Context {
    Context::new("/w").with_home("/home/u")
}

fn build(rules: impl Fn(PolicyBuilder) -> PolicyBuilder) -> Policy {
    rules(Policy::builder(&ctx())).build().unwrap()
}

/// The reasons for reading, writing and executing a path.
fn reasons(policy: &Policy, path: &str) -> [Reason; 3] {
    Access::ALL.map(|access| {
        let decision = policy.decide(access, path);
        let allows = matches!(
            decision.reason,
            Reason::Granted | Reason::OwnTmp | Reason::OwnDev | Reason::OwnProc
        );
        assert_eq!(decision.allowed, allows, "{access} {path}");
        decision.reason
    })
}

use Reason::{
    Absent, Granted, Hidden, NotExecutable, NotGranted, OwnDev, OwnProc, OwnTmp, Protected,
    ReadOnly,
};

#[test]
fn s2_nothing_is_allowed_but_what_is_listed() {
    let policy = build(|p| p.read("/r").write("/w").exec("/x"));
    for (path, expected) in [
        ("/", [NotGranted; 3]),
        ("/other", [NotGranted; 3]),
        ("/r", [Granted, ReadOnly, NotExecutable]),
        ("/r/a/b", [Granted, ReadOnly, NotExecutable]),
        ("/rr", [NotGranted; 3]),
        ("/w/a", [Granted, Granted, NotExecutable]),
        ("/x/a", [Granted, ReadOnly, Granted]),
    ] {
        assert_eq!(reasons(&policy, path), expected, "{path}");
    }
}

#[test]
fn s2_the_deepest_rule_wins_and_at_equal_depth_the_deny() {
    let policy = build(|p| {
        p.write("/w")
            .exec("/w")
            .hide("/w/secret")
            .read("/w/secret/shown")
            .protect("/w/.git")
            .write("/w/.git/objects")
    });
    for (path, expected) in [
        ("/w/a", [Granted, Granted, Granted]),
        ("/w/secret", [Hidden; 3]),
        ("/w/secret/a", [Hidden; 3]),
        ("/w/secret/shown", [Granted, ReadOnly, NotExecutable]),
        ("/w/secret/shown/a", [Granted, ReadOnly, NotExecutable]),
        ("/w/.git/config", [Granted, Protected, Granted]),
        ("/w/.git/objects/ab", [Granted, Granted, Granted]),
    ] {
        assert_eq!(reasons(&policy, path), expected, "{path}");
    }
    let equal = build(|p| p.write("/w").protect("/w/{a,}b").write("/w/*b"));
    assert_eq!(reasons(&equal, "/w/ab")[1], Protected);
    assert_eq!(
        reasons(&equal, "/w/b")[1],
        Protected,
        "an alternative may be empty"
    );
    let both = build(|p| p.absent("/w/{x,y}").hide("/w/x"));
    assert_eq!(reasons(&both, "/w/x"), [Hidden; 3]);
    assert_eq!(reasons(&both, "/w/y"), [Absent; 3]);
}

#[test]
fn absent_answers_no_such_file_and_protect_grants_nothing() {
    let policy = build(|p| p.absent("/home/u/.npmrc").protect("/p"));
    assert_eq!(reasons(&policy, "/home/u/.npmrc"), [Absent; 3]);
    assert_eq!(
        reasons(&policy, "/p/a"),
        [NotGranted, Protected, NotGranted]
    );
}

#[test]
fn the_cages_own_trees_are_its_own_except_beneath_rules() {
    let policy = build(|p| {
        p.read("/")
            .write("/tmp/work")
            .read("/tmp/data")
            .hide("/proc/kcore")
            .hide("/tmp/x")
            .write("/dev/kvm")
    });
    for (path, expected) in [
        ("/tmp", [OwnTmp; 3]),
        ("/tmp/other", [OwnTmp; 3]),
        ("/tmp/work/a", [Granted, Granted, NotExecutable]),
        ("/tmp/data/a", [Granted, ReadOnly, NotExecutable]),
        ("/tmp/x/a", [Hidden; 3]),
        ("/proc/1/maps", [OwnProc; 3]),
        ("/proc/kcore", [Hidden; 3]),
        ("/dev/null", [OwnDev; 3]),
        ("/dev/kvm", [Granted, Granted, NotExecutable]),
        ("/tmpx", [Granted, ReadOnly, NotExecutable]),
    ] {
        assert_eq!(reasons(&policy, path), expected, "{path}");
    }
    let host = build(|p| p.tmp(Tmp::Host));
    assert_eq!(reasons(&host, "/tmp/a"), [NotGranted; 3]);
    let hidden = build(|p| p.hide("/proc").hide("/"));
    assert_eq!(reasons(&hidden, "/proc/self"), [Hidden; 3]);
    assert_eq!(
        reasons(&hidden, "/dev/null"),
        [OwnDev; 3],
        "a rule above does not reach into them"
    );
}

#[test]
fn s2_globs_cover_what_matches_and_everything_beneath() {
    let policy = build(|p| {
        p.write("/w")
            .hide("**/.env")
            .hide("key?.pem")
            .read("/home/*/pub/**")
            .protect("*.{md,txt}")
    });
    for (path, expected) in [
        ("/w/.env", [Hidden; 3]),
        ("/w/a/b/.env", [Hidden; 3]),
        ("/w/a/.env/inner", [Hidden; 3]),
        ("/w/a/.envrc", [Granted, Granted, NotExecutable]),
        ("/w/key1.pem", [Hidden; 3]),
        ("/w/key.pem", [Granted, Granted, NotExecutable]),
        ("/w/sub/key1.pem", [Granted, Granted, NotExecutable]),
        ("/home/a/pub/x", [Granted, ReadOnly, NotExecutable]),
        ("/home/a/pub", [Granted, ReadOnly, NotExecutable]),
        ("/home/a/b/pub", [NotGranted; 3]),
        ("/w/README.md", [Granted, Protected, NotExecutable]),
        ("/w/README.mdx", [Granted, Granted, NotExecutable]),
        ("/.env", [NotGranted; 3]),
    ] {
        assert_eq!(reasons(&policy, path), expected, "{path}");
    }
}

#[test]
fn s2_a_wide_glob_never_shows_what_a_rule_hides() {
    let policy = build(|p| {
        p.read("/w/**/src")
            .read("**/*.rs")
            .hide("/w/src/secret")
            .hide("/w/src/**/.env")
            .read("/w/src/a")
    });
    assert_eq!(reasons(&policy, "/w/src/secret/src/key")[0], Hidden);
    assert_eq!(reasons(&policy, "/w/src/a/.env")[0], Hidden);
    assert_eq!(reasons(&policy, "/w/src/a/lib.rs")[0], Granted);
}

#[test]
fn v11_hostile_names_are_matched_by_their_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let policy = build(|p| p.write("/w").hide("**/*.key"));
    for name in [
        &b"/w/new\nline.key"[..],
        b"/w/\xff\xfe.key",
        b"/w/\x1b[0m/a.key",
        b"/w/.key",
    ] {
        let decision = policy.decide(Access::Read, Path::new(OsStr::from_bytes(name)));
        assert_eq!(decision.reason, Hidden, "{name:?}");
    }
}

#[test]
fn what_is_not_a_resolved_path_is_not_granted() {
    let policy = build(|p| p.write("/"));
    for path in ["", "w", "/w/..", "/w/../etc", ".."] {
        assert_eq!(reasons(&policy, path), [NotGranted; 3], "{path}");
    }
    assert_eq!(
        reasons(&policy, "//w/./a/"),
        [Granted, Granted, NotExecutable]
    );
}

#[test]
fn v4_a_decision_names_its_rule() {
    let policy = build(|p| p.write("/w").hide(".env"));
    let rule = |access, path| policy.decide(access, path).rule.map(ToString::to_string);
    assert_eq!(
        rule(Access::Read, "/w/.env").as_deref(),
        Some(r#"hide ".env""#)
    );
    assert_eq!(rule(Access::Exec, "/w/a").as_deref(), Some(r#"write "/w""#));
    assert_eq!(rule(Access::Read, "/x"), None);
}

#[test]
fn a_decision_tells_the_rules_own_path_from_what_is_beneath() {
    let policy = build(|p| p.read("/w").hide("d").hide("**/k*"));
    for (path, expected) in [
        ("/w/d", true),
        ("/w/d/x", false),
        ("/w/a/k1", true),
        ("/w/a/k1/x", false),
        ("/w/k/k", true),
        ("/x", false),
    ] {
        assert_eq!(policy.decide(Access::Read, path).exact, expected, "{path}");
    }
}

#[test]
fn s2_order_does_not_choose_between_equal_rules() {
    let named = |policy: &Policy, path| {
        policy
            .decide(Access::Read, path)
            .rule
            .map(|rule| rule.written().to_owned())
    };
    let one = build(|p| p.hide("a*").hide("*b").read("x").read("./x"));
    let other = build(|p| p.read("./x").read("x").hide("*b").hide("a*"));
    for path in ["/w/ab", "/w/x"] {
        assert!(named(&one, path).is_some());
        assert_eq!(named(&one, path), named(&other, path));
    }
}

#[test]
fn ancestors_of_literal_rules_are_known() {
    let decider = build(|p| p.read("/a/b/c").hide("/d/e").read("/g/h/*.x")).decider();
    for (path, expected) in [
        ("/", true),
        ("/a", true),
        ("/a/b", true),
        ("/a/b/c", false),
        ("/a/x", false),
        ("/d", true),
        ("/g", false),
        ("/g/h", false),
    ] {
        assert_eq!(
            decider.is_ancestor_of_grant(Path::new(path)),
            expected,
            "{path}"
        );
    }
}
