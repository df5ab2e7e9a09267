//! The presets and the published schema (X10).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

use serde_json::{Value, json};
use whybox_policy::{Access, Context, Network, Policy, Reason, Tmp};

fn ctx() -> Context {
    Context::new("/home/u/repo/app")
        .with_home("/home/u")
        .with_repository("/home/u/repo", "/home/u/main/.git")
}

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::new(&Policy::schema()).unwrap()
}

#[test]
fn every_preset_loads_and_validates_against_the_schema() {
    let validator = validator();
    for name in Policy::PRESETS {
        let text: Value = toml::from_str(Policy::preset_text(name).unwrap()).unwrap();
        assert!(
            validator.is_valid(&text),
            "{name}: {:?}",
            validator.iter_errors(&text).collect::<Vec<_>>()
        );
        for ctx in [ctx(), Context::new("/srv")] {
            let policy = Policy::preset(name, &ctx).unwrap();
            let json = policy.to_json();
            assert!(
                validator.is_valid(&json),
                "{name}: {:?}",
                validator.iter_errors(&json).collect::<Vec<_>>()
            );
            let again = Policy::from_toml(&policy.to_toml(), Path::new("p.toml"), &ctx).unwrap();
            assert_eq!(again.digest(), policy.digest(), "{name}");
        }
    }
    assert!(
        Policy::preset("agents", &ctx())
            .unwrap_err()
            .to_string()
            .contains("did you mean \"agent\"?")
    );
}

#[test]
fn every_line_of_a_preset_says_why() {
    for name in Policy::PRESETS {
        let mut explained = false;
        for line in Policy::preset_text(name).unwrap().lines().map(str::trim) {
            // A comment explains its line, or the group of lines that follow without one of their own.
            explained = match line {
                "" | "]" => false,
                _ if line.contains('#') => true,
                _ => explained,
            };
            assert!(!line.starts_with('"') || explained, "preset {name}: {line}");
        }
    }
}

#[test]
fn presets_use_no_globs_so_that_deciding_allocates_nothing() {
    for name in Policy::PRESETS {
        let policy = Policy::preset(name, &ctx()).unwrap();
        assert!(
            policy
                .rules()
                .iter()
                .all(|rule| rule.pattern().as_path().is_some()),
            "{name}"
        );
    }
}

/// The reasons for reading, writing and executing.
fn reasons(policy: &Policy, path: &str) -> [Reason; 3] {
    Access::ALL.map(|access| policy.decide(access, path).reason)
}

use Reason::{Absent, Granted, Hidden, NotExecutable, NotGranted, OwnTmp, ReadOnly};

const RUN: [Reason; 3] = [Granted, ReadOnly, Granted];
const READ: [Reason; 3] = [Granted, ReadOnly, NotExecutable];
const ALL: [Reason; 3] = [Granted; 3];
const NONE: [Reason; 3] = [NotGranted; 3];

#[test]
fn s2_the_agent_preset_grants_what_it_should() {
    let policy = Policy::preset("agent", &ctx()).unwrap();
    for (path, expected) in [
        ("/usr/bin/env", RUN),
        ("/etc/passwd", READ),
        ("/etc/shadow", [Hidden; 3]),
        ("/home/u/repo/app/src/main.rs", ALL),
        ("/home/u/repo/Cargo.toml", READ),
        ("/home/u/main/.git/objects", READ),
        ("/home/u/main/secret", NONE),
        ("/home/u", NONE),
        ("/home/u/.ssh/id_rsa", NONE),
        ("/home/u/.ssh/known_hosts", NONE),
        ("/home/u/.aws/credentials", NONE),
        ("/home/u/.cargo/bin/cargo", RUN),
        ("/home/u/.cargo/config.toml", RUN),
        ("/home/u/.cargo/credentials.toml", [Hidden; 3]),
        ("/home/u/.gitconfig", READ),
        ("/home/u/.config/git/ignore", READ),
        ("/home/u/.config/git/credentials", [Hidden; 3]),
        ("/home/u/.config/gh/hosts.yml", NONE),
        ("/home/u/.npmrc", [Absent; 3]),
        ("/home/u/.cache/pip", NONE),
        ("/root", NONE),
        ("/var/lib/x", NONE),
        ("/run/docker.sock", NONE),
        ("/tmp/x", [OwnTmp; 3]),
        ("/sys/fs/cgroup/x", READ),
        ("/sys/class/net", NONE),
    ] {
        assert_eq!(reasons(&policy, path), expected, "{path}");
    }
    assert_eq!((policy.network(), policy.tmp()), (Network::None, Tmp::Own));
    let rule = policy.decide(Access::Read, "/etc/shadow").rule.unwrap();
    assert_eq!(rule.to_string(), "preset agent");
}

#[test]
fn s2_presets_do_not_grant_a_working_directory_that_holds_the_home() {
    for cwd in ["/", "/home", "/home/u"] {
        let ctx = Context::new(cwd).with_home("/home/u");
        for name in Policy::PRESETS {
            let policy = Policy::preset(name, &ctx).unwrap();
            assert_eq!(
                reasons(&policy, "/home/u/.ssh/id_rsa"),
                NONE,
                "{name} in {cwd}"
            );
        }
        let text = "version = 1\npreset = \"agent\"\n[files]\nwrite = [\"$CWD\"]\n";
        let named = Policy::from_toml(text, Path::new("/p/p.toml"), &ctx).unwrap();
        assert!(
            named.decide(Access::Write, "/home/u/x").allowed,
            "granted by name in {cwd}"
        );
    }
}

#[test]
fn the_other_presets_are_wider_or_narrower() {
    let build = Policy::preset("build", &ctx()).unwrap();
    assert_eq!(build.network(), Network::All);
    assert_eq!(reasons(&build, "/home/u/.cargo/registry/cache"), ALL);
    assert_eq!(reasons(&build, "/home/u/.cargo/bin/cargo"), RUN);
    assert_eq!(reasons(&build, "/home/u/.cache/pip"), ALL);
    assert_eq!(reasons(&build, "/home/u/.cache/mozilla/x"), [Hidden; 3]);
    assert_eq!(reasons(&build, "/home/u/.ssh/id_rsa"), NONE);
    assert!(
        build
            .environment()
            .assigned()
            .all(|(name, _)| name == "TMPDIR"),
        "the user's own caches"
    );

    let readonly = Policy::preset("readonly", &ctx()).unwrap();
    assert_eq!(reasons(&readonly, "/home/u/repo/app/x"), RUN);
    assert_eq!(reasons(&readonly, "/home/u/repo/x"), NONE);
    assert_eq!(reasons(&readonly, "/tmp/x"), [OwnTmp; 3]);

    let minimal = Policy::preset("minimal", &ctx()).unwrap();
    assert_eq!(reasons(&minimal, "/lib64/ld-linux-x86-64.so.2"), RUN);
    assert_eq!(reasons(&minimal, "/usr/bin/env"), NONE);
    assert_eq!(reasons(&minimal, "/etc/passwd"), NONE);

    assert!(Policy::preset("none", &ctx()).unwrap().rules().is_empty());
}

#[test]
fn x10_the_schema_and_the_reader_agree() {
    let validator = validator();
    let check = |document: &Value| {
        let read = Policy::from_json(&document.to_string(), Path::new("/p/p.json"), &ctx());
        assert_eq!(
            validator.is_valid(document),
            read.is_ok(),
            "{document}: {read:?}"
        );
        read.is_ok()
    };
    let whole = json!({
        "version": 1, "preset": "readonly", "tmp": "own", "lifetime": "run", "terminal": "inherit",
        "files": { "read": ["a", {"bytes": "2fff"}, {"bytes": "2fff", "glob": "*"}], "write": ["b"], "exec": ["c"],
                   "hide": ["d"], "protect": ["e"], "absent": ["f"] },
        "environment": { "mode": "pass", "allow": ["A", "B_*", "*"], "set": { "C": "d", "E": {"bytes": "ff"} } },
        "network": { "mode": "none" },
        "limits": { "processes": 1, "memory_bytes": 1, "file_size_bytes": 1, "open_files": 1, "cpu_seconds": 1,
                    "timeout_ms": 9_223_372_036_854_775_807_u64 },
    });
    assert!(check(&whole));
    // Every value of it, replaced by wrong ones; every key, beside a key that does not exist; every table without each.
    let mut refused = 0;
    for pointer in pointers(&whole, String::new()) {
        for wrong in [
            json!(null),
            json!(0),
            json!(true),
            json!("\u{1}wrong"),
            json!([1]),
            json!({"bytes": "f"}),
            json!(1.5),
            json!(""),
        ] {
            let mut document = whole.clone();
            *document.pointer_mut(&pointer).unwrap() = wrong;
            refused += usize::from(!check(&document));
        }
        let mut document = whole.clone();
        if let Some(table) = document
            .pointer_mut(&pointer)
            .and_then(Value::as_object_mut)
        {
            table.insert("unknown=key".into(), json!("x"));
            assert!(!check(&document));
        }
    }
    assert!(refused > 200, "{refused}");
    check(&json!({ "preset": "agent" }));
}

/// The JSON pointers of all values.
fn pointers(value: &Value, at: String) -> Vec<String> {
    let inner: Vec<String> = match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, value)| pointers(value, format!("{at}/{key}")))
            .collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .flat_map(|(i, value)| pointers(value, format!("{at}/{i}")))
            .collect(),
        _ => Vec::new(),
    };
    std::iter::once(at).chain(inner).collect()
}
