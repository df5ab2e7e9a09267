//! What holds for every policy: order, monotony, a naive oracle, round trips, digests (S2, X10).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use whybox_policy::{
    Access, Context, Environment, Lifetime, Limits, Network, Pattern, Policy, Rule, RuleKind,
    Source, Terminal, Tmp,
};

fn ctx() -> Context {
    Context::new("/a").with_home("/home/u")
}

/// Few names, so that rules and paths meet.
fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a", "b", "c", "tmp", "dev", ".env", "x*", "[id]", "q\\",
    ])
}

fn path() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec(name(), 0..6).prop_map(|names| PathBuf::from("/").join(names.join("/")))
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let piece = prop::sample::select(vec![
        "*", "**", "a", "b", "?", "[ab]", "{a,b}", "{a/b,c}", "*.e?v", "[!a]", "\\*",
    ]);
    let glob = (path(), prop::collection::vec(piece, 1..4)).prop_map(|(base, pieces)| {
        let text = pieces.join("/");
        Pattern::parse(text.as_ref(), &base, &ctx()).unwrap()
    });
    prop_oneof![3 => path().prop_map(|p| Pattern::path(p).unwrap()), 2 => glob]
}

fn rule() -> impl Strategy<Value = Rule> {
    let kind = prop::sample::select(RuleKind::ALL.to_vec());
    (kind, pattern()).prop_map(|(kind, pattern)| Rule::new(kind, pattern, "x", Source::Api))
}

fn policy_of(rules: &[Rule], tmp: Tmp) -> Policy {
    let mut policy = rules
        .iter()
        .cloned()
        .fold(Policy::default(), Policy::with_path_rule);
    policy.set_tmp(tmp);
    policy
}

fn tmp() -> impl Strategy<Value = Tmp> {
    prop::sample::select(vec![Tmp::Own, Tmp::Host])
}

/// The depths at which a rule's pattern matches a prefix of the path, or the path.
fn depths(rule: &Rule, path: &Path) -> Vec<usize> {
    let prefixes = path.ancestors().collect::<Vec<_>>();
    let depth = |p: &&Path| p.components().count() - 1;
    prefixes
        .iter()
        .filter(|prefix| match rule.pattern() {
            Pattern::Path(own) => own == **prefix,
            Pattern::Glob(glob) => glob.is_match(prefix),
            _ => unreachable!(),
        })
        .map(depth)
        .collect()
}

/// The rules' meaning, said as plainly as it can be.
fn oracle(rules: &[Rule], tmp: Tmp, access: Access, path: &Path) -> bool {
    let own = ["/proc", "/dev", "/tmp"]
        .iter()
        .any(|own| path.starts_with(own) && (tmp == Tmp::Own || *own != "/tmp"));
    let host = rules.iter().any(|rule| {
        rule.kind().is_grant()
            && rule
                .pattern()
                .as_path()
                .is_some_and(|p| p.components().count() > 2 && path.starts_with(p))
    });
    let mut granted: Option<usize> = (own && !host).then_some(1);
    let mut denied: Option<usize> = None;
    for rule in rules {
        let depths = depths(rule, path);
        if rule.kind().grants(access) {
            granted = granted.max(depths.iter().min().copied());
        }
        if rule.kind().denies(access) {
            denied = denied.max(depths.iter().max().copied());
        }
    }
    granted > denied
}

const JSON: &str = r#"{"version":1,"files":{"read":["~/a","**/*.[k]ey",{"bytes":"2fff","glob":"*/\\u0041"}],"hide":["../b"]},
"environment":{"mode":"pass","allow":["A*"],"set":{"B":"c"}},"limits":{"processes":5}}"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn s2_decisions_equal_the_oracles(rules in prop::collection::vec(rule(), 0..8), tmp in tmp(), path in path()) {
        let policy = policy_of(&rules, tmp);
        for access in Access::ALL {
            let decision = policy.decide(access, &path);
            prop_assert_eq!(decision.allowed, oracle(&rules, tmp, access, &path), "{} {:?} {:?}", access, path, decision);
        }
    }

    #[test]
    fn s2_order_never_matters(
        (rules, shuffled) in prop::collection::vec(rule(), 0..8).prop_flat_map(|r| (Just(r.clone()), Just(r).prop_shuffle())),
        tmp in tmp(),
        path in path(),
    ) {
        let (one, other) = (policy_of(&rules, tmp), policy_of(&shuffled, tmp));
        prop_assert_eq!(one.digest(), other.digest());
        for access in Access::ALL {
            prop_assert_eq!(one.decide(access, &path), other.decide(access, &path));
        }
    }

    #[test]
    fn s2_grants_only_add_and_denies_only_take(
        rules in prop::collection::vec(rule(), 0..8),
        more in rule(),
        path in path(),
    ) {
        // A grant beneath the cage's own trees puts the host's in their place, so those are left out.
        prop_assume!(!["/proc", "/dev", "/tmp"].iter().any(|own| path.starts_with(own)));
        let before = policy_of(&rules, Tmp::Own);
        let after = before.clone().with_path_rule(more.clone());
        for access in Access::ALL {
            let (was, is) = (before.decide(access, &path).allowed, after.decide(access, &path).allowed);
            if more.kind().is_grant() {
                prop_assert!(is >= was);
            } else {
                prop_assert!(is <= was);
            }
        }
    }

    #[test]
    fn s2_writing_and_executing_imply_reading(rules in prop::collection::vec(rule(), 0..8), tmp in tmp(), path in path()) {
        let policy = policy_of(&rules, tmp);
        let [read, write, exec] = Access::ALL.map(|access| policy.decide(access, &path).allowed);
        prop_assert!(read >= write && read >= exec);
    }

    #[test]
    fn x10_policies_survive_being_written(
        rules in prop::collection::vec(rule(), 0..8),
        tmp in tmp(),
        settings in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
        limits in prop::collection::vec(prop::option::of(1..=i64::MAX as u64), 6),
        value in "\\PC*|[\u{0}-\u{ff}]*",
        bytes in prop::collection::vec(1..=255_u8, 0..6),
        path in path(),
    ) {
        use std::os::unix::ffi::OsStringExt;
        // Two rules of one file must not contradict each other: the same pattern is kept once.
        let mut seen = std::collections::BTreeSet::new();
        let rules: Vec<Rule> = rules.into_iter().filter(|r| seen.insert(r.pattern().clone())).collect();
        let mut policy = policy_of(&rules, tmp);
        let (all, detached, no_terminal, pass) = settings;
        if all { policy.set_network(Network::All); }
        if detached { policy.set_lifetime(Lifetime::Detached); }
        if no_terminal { policy.set_terminal(Terminal::None); }
        let environment = policy.environment_mut();
        if pass { *environment = Environment::pass(); }
        environment.allow("LC_*").unwrap().set("A B.\"", value.replace('\0', "")).unwrap();
        environment.set("BYTES", OsString::from_vec(bytes)).unwrap();
        let mut wanted = Limits::default();
        wanted.processes = limits[0];
        wanted.memory_bytes = limits[1];
        wanted.file_size_bytes = limits[2];
        wanted.open_files = limits[3];
        wanted.cpu_seconds = limits[4];
        wanted.timeout = limits[5].map(std::time::Duration::from_millis);
        policy.set_limits(wanted);

        let (toml, json) = (policy.to_toml(), policy.to_json());
        for again in [
            Policy::from_toml(&toml, Path::new("/elsewhere/p.toml"), &ctx()),
            Policy::from_json(&json.to_string(), Path::new("p.json"), &ctx()),
        ] {
            let again = again.unwrap_or_else(|e| panic!("{e}\n{toml}"));
            prop_assert_eq!(again.digest(), policy.digest());
            prop_assert_eq!(&again.to_json(), &json);
            prop_assert_eq!(again.environment(), policy.environment());
            prop_assert_eq!(again.limits(), policy.limits());
            for access in Access::ALL {
                let (was, is) = (policy.decide(access, &path), again.decide(access, &path));
                prop_assert_eq!((was.allowed, was.reason), (is.allowed, is.reason));
            }
        }
    }

    #[test]
    fn x10_different_policies_have_different_digests(one in rule(), other in rule()) {
        let (a, b) = (policy_of(std::slice::from_ref(&one), Tmp::Own), policy_of(std::slice::from_ref(&other), Tmp::Own));
        let same = (one.kind(), one.pattern()) == (other.kind(), other.pattern());
        prop_assert_eq!(a.digest() == b.digest(), same);
    }

    #[test]
    fn readers_never_panic_on_text(text in "\\PC{0,200}") {
        whybox_policy::fuzzing::policy_text(text.as_bytes());
    }

    #[test]
    fn readers_never_panic_on_mangled_policies(
        text in prop::sample::select(vec![JSON, Policy::preset_text("readonly").unwrap(), Policy::preset_text("build").unwrap()]),
        at in any::<prop::sample::Index>(),
        cut in 0..40_usize,
        put in "[\\[\\]{}\"',=\\\\\n*?~$a0-9 ]{0,6}",
    ) {
        let at = at.index(text.len());
        let mangled: Vec<u8> = text.bytes().take(at).chain(put.bytes()).chain(text.bytes().skip(at + cut)).collect();
        whybox_policy::fuzzing::policy_text(&mangled);
    }

    #[test]
    fn patterns_never_panic(
        text in prop_oneof!["[~$/.*?\\[\\]{},\\\\!^a-c-]{0,24}".prop_map(String::into_bytes), prop::collection::vec(any::<u8>(), 0..40)],
        path in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        whybox_policy::fuzzing::pattern(&text, &path);
        whybox_policy::fuzzing::pattern(&text, &[b"/home/u/app/", &path[..]].concat());
    }
}
