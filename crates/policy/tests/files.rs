//! Policy files: their format, and mistakes in them with file, line and column (X10).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use whybox_policy::{
    Access, Context, ErrorKind, Lifetime, Network, Policy, PolicyError, Source, Terminal, Tmp,
};

fn ctx() -> Context {
    Context::new("/home/u/app").with_home("/home/u")
}

const TOML: &str = r#"version = 1
lifetime = "detached"
terminal = "none"
tmp = "host"

[files]
read = ["../data", "~/conf"]
write = [
    ".",
]
hide = ['.env', "**/*.key"]

[environment]
mode = "pass"
allow = ["CI_TOKEN"]
set = { A = "1" }

[network]
mode = "all"

[limits]
processes = 10
timeout_ms = 1_500
"#;

const JSON: &str = r#"{
  "version": 1, "lifetime": "detached", "terminal": "none", "tmp": "host",
  "files": { "read": ["/srv/data", "/home/u/conf"], "write": ["."], "hide": ["**/*.key", ".env"] },
  "environment": { "mode": "pass", "allow": ["CI_TOKEN"], "set": { "A": "1" } },
  "network": { "mode": "all" },
  "limits": { "timeout_ms": 1500, "processes": 10 }
}"#;

#[test]
fn a_file_says_everything_that_a_policy_has() {
    let policy = Policy::from_toml(TOML, Path::new("/srv/app/whybox.toml"), &ctx()).unwrap();
    assert!(policy.decide(Access::Read, "/srv/data/x").allowed);
    assert!(policy.decide(Access::Write, "/srv/app/x").allowed);
    assert!(!policy.decide(Access::Read, "/srv/app/a/b.key").allowed);
    assert_eq!((policy.network(), policy.tmp()), (Network::All, Tmp::Host));
    assert_eq!(
        (policy.lifetime(), policy.terminal()),
        (Lifetime::Detached, Terminal::None)
    );
    assert_eq!(policy.limits().processes, Some(10));
    assert_eq!(policy.limits().timeout, Some(Duration::from_millis(1500)));
    let vars = [("CI_TOKEN", "t"), ("X_TOKEN", "t"), ("A", "0")].map(|(n, v)| (n.into(), v.into()));
    let env = policy.environment().resolve(vars.into_iter());
    assert_eq!(
        env.vars,
        [("A".into(), "1".into()), ("CI_TOKEN".into(), "t".into())]
    );
    assert_eq!(env.dropped, ["X_TOKEN"]);
}

#[test]
fn g5_equal_policies_have_equal_digests_whatever_they_came_from() {
    let toml = Policy::from_toml(TOML, Path::new("/srv/app/whybox.toml"), &ctx()).unwrap();
    let json = Policy::from_json(JSON, Path::new("/srv/app/other.json"), &ctx()).unwrap();
    assert_eq!(toml.digest(), json.digest());
    assert_eq!(toml.digest().len(), 64);
    for change in ["processes = 11", "timeout_ms = 1501"] {
        let key = change.split(' ').next().unwrap();
        let lines: Vec<&str> = TOML
            .lines()
            .map(|l| if l.starts_with(key) { change } else { l })
            .collect();
        let other = Policy::from_toml(&lines.join("\n"), Path::new("/srv/app/whybox.toml"), &ctx())
            .unwrap();
        assert_ne!(toml.digest(), other.digest(), "{change}");
    }
}

#[test]
fn v4_rules_know_their_line_and_column() {
    for (text, expected) in [
        (TOML, [(7, 9), (7, 20), (9, 5), (11, 9), (11, 17)]),
        (JSON, [(3, 23), (3, 36), (3, 63), (3, 78), (3, 90)]),
    ] {
        let policy = if text == TOML {
            Policy::from_toml(text, Path::new("/srv/app/whybox.toml"), &ctx())
        } else {
            Policy::from_json(text, Path::new("/srv/app/whybox.toml"), &ctx())
        };
        let places: Vec<(u32, u32)> = policy
            .unwrap()
            .rules()
            .iter()
            .map(|rule| match rule.source() {
                Source::File { line, column, .. } => (*line, *column),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(places, expected);
    }
    let policy = Policy::from_toml(TOML, Path::new("/srv/app/whybox.toml"), &ctx()).unwrap();
    let rule = policy.decide(Access::Read, "/srv/app/.env").rule.unwrap();
    assert_eq!(rule.to_string(), r#"hide ".env" (whybox.toml:11)"#);
    // Columns are characters, not bytes.
    let text = "version = 1\n[files]\nread = [\"/é\", \"/b\"]\n";
    let policy = Policy::from_toml(text, Path::new("p.toml"), &ctx()).unwrap();
    assert!(matches!(
        policy.rules()[1].source(),
        Source::File {
            line: 3,
            column: 15,
            ..
        }
    ));
}

fn toml_error(text: &str) -> PolicyError {
    Policy::from_toml(text, Path::new("whybox.toml"), &ctx()).unwrap_err()
}

fn json_error(text: &str) -> PolicyError {
    Policy::from_json(text, Path::new("p.json"), &ctx()).unwrap_err()
}

#[test]
fn mistakes_in_toml_have_file_line_and_column() {
    use ErrorKind::{Contradiction, Glob, Key, Path, Preset, Syntax, Value};
    for (text, kind, expected) in [
        (
            "",
            Key,
            "whybox.toml:1:1: the version of the format is missing; add `version = 1`",
        ),
        (
            "version = 2",
            Value,
            "whybox.toml:1:11: `version` must be 1",
        ),
        (
            "version = 1\nfiles = 3",
            Value,
            "whybox.toml:2:9: [files] is a whole number; it must be a table",
        ),
        (
            "version = 1\nnetwrk = {}",
            Key,
            "whybox.toml:2:1: unknown key \"netwrk\" in the file; did you mean \"network\"?",
        ),
        (
            "version = 1\n[files]\nzebra = []",
            Key,
            "whybox.toml:3:1: unknown key \"zebra\" in [files]; there are read, write",
        ),
        (
            "version = 1\n[files]\nread = \"x\"",
            Value,
            "whybox.toml:3:8: `read` is a string; it must be a list",
        ),
        (
            "version = 1\n[files]\nread = [\n  1]",
            Value,
            "whybox.toml:4:3: a path is a whole number; it must be a string",
        ),
        (
            "version = 1\n[files]\nread = [\"a\", \"b/[\"]",
            Glob,
            "whybox.toml:3:14: bad glob",
        ),
        (
            "version = 1\n[files]\nread = [\"$X/a\"]",
            Path,
            "whybox.toml:3:9: unknown variable `$X`",
        ),
        (
            "version = 1\n[files]\nread = [\"\"]",
            Path,
            "whybox.toml:3:9: a path is empty",
        ),
        (
            "version = 1\n[files]\nread = [\"$REPO\"]",
            ErrorKind::Variable,
            "whybox.toml:3:9: `$REPO` has no value here",
        ),
        (
            "version = 1\n[files]\nread = [{ bytes = \"2\" }]",
            Value,
            "whybox.toml:3:9: a table that stands for a string",
        ),
        (
            "version = 1\n[files]\nread = [{ byte = \"2f\" }]",
            Key,
            "whybox.toml:3:11: unknown key \"byte\" in a path",
        ),
        (
            "version = 1\n[files]\nread = [\"./a\"]\nhide = [\"a/\"]",
            Contradiction,
            "whybox.toml:4:9: `hide \"a/\" (whybox.toml:4)` contradicts `read \"./a\" (whybox.toml:3)`",
        ),
        (
            "version = 1\n[files]\nprotect = [\"*.x\"]\nwrite = [\"*.x\"]",
            Contradiction,
            "whybox.toml:4:10: ",
        ),
        (
            "version = 1\npreset = \"agnt\"",
            Preset,
            "whybox.toml:2:10: unknown preset \"agnt\"; did you mean \"agent\"?",
        ),
        (
            "version = 1\npreset = 1",
            Value,
            "whybox.toml:2:10: `preset` is a whole number",
        ),
        (
            "version = 1\ntmp = \"mine\"",
            Value,
            "whybox.toml:2:7: `tmp` cannot be \"mine\"; there are own, host",
        ),
        (
            "version = 1\n[network]\nmode = \"al\"",
            Value,
            "whybox.toml:3:8: `mode` cannot be \"al\"; did you mean \"all\"?",
        ),
        (
            "version = 1\n[limits]\nprocesses = 0",
            Value,
            "whybox.toml:3:13: `processes` is a whole number; it must be a whole number, at least 1",
        ),
        (
            "version = 1\n[limits]\nprocesses = 1.5",
            Value,
            "whybox.toml:3:13: `processes` is a number that is not whole",
        ),
        (
            "version = 1\n[limits]\nprocess = 1",
            Key,
            "whybox.toml:3:1: unknown key \"process\" in [limits]; did you mean \"processes\"?",
        ),
        (
            "version = 1\n[environment]\nallow = [\"A=B\"]",
            Value,
            "whybox.toml:3:10: \"A=B\" cannot name a variable",
        ),
        (
            "version = 1\n[environment.set]\n\"\" = \"x\"",
            Value,
            "whybox.toml:3:1: \"\" cannot name a variable",
        ),
        (
            "version = 1\n[environment.set]\nA = \"\\u0000\"",
            Value,
            "whybox.toml:3:1: the value of variable \"A\" has a NUL",
        ),
        (
            "version = 1\nversion = 1",
            Syntax,
            "whybox.toml:2:1: this is not TOML: duplicate key",
        ),
        (
            "version = 1\n[files\n",
            Syntax,
            "whybox.toml:2:7: this is not TOML",
        ),
    ] {
        let error = toml_error(text);
        assert_eq!(error.kind(), kind, "{text}\n{error}");
        assert!(
            error.to_string().starts_with(expected),
            "{text}\n{error}\n{expected}"
        );
    }
}

#[test]
fn mistakes_in_json_have_file_line_and_column() {
    use ErrorKind::{Glob, Key, Syntax, Value};
    for (text, kind, expected) in [
        (
            "",
            Syntax,
            "p.json:1:1: this is not JSON: EOF while parsing a value",
        ),
        (
            "[]",
            Value,
            "p.json:1:1: a policy is a list; it must be a table",
        ),
        (
            "{\"version\": 1,\n  \"files\": {\"raed\": []}}",
            Key,
            "p.json:2:13: unknown key \"raed\" in [files]; did you mean \"read\"?",
        ),
        (
            "{\"version\": 1,\n  \"files\": {\"read\": [\"é\", \"[\"]}}",
            Glob,
            "p.json:2:27: bad glob",
        ),
        (
            "{\"version\": 1, \"version\": 1}",
            Key,
            "p.json:1:16: the key \"version\" is given twice",
        ),
        (
            "{\"version\": 1,\n \"tmp\": true}",
            Value,
            "p.json:2:9: `tmp` is a truth value; it must be a string",
        ),
        (
            "{\"version\": 1,\n \"limits\": {\"processes\": 1e3}}",
            Value,
            "p.json:2:26: `processes` is a number that is not whole",
        ),
        (
            "{\"version\": 1,\n \"limits\": {\"processes\": 18446744073709551615}}",
            Value,
            "p.json:2:26: `processes` is a number that is too large",
        ),
        (
            "{\"version\": 1,\n \"limits\": {\"processes\": null}}",
            Value,
            "p.json:2:26: `processes` is null",
        ),
        (
            "{\"version\": 1,\n \"tmp\" \"own\"}",
            Syntax,
            "p.json:2:8: this is not JSON: expected `:`",
        ),
        (
            "{\"version\": 1,\n \"tmp\": \"\\ud800\"}",
            Syntax,
            "p.json:2:",
        ),
        (
            "{\"version\": 1} x",
            Syntax,
            "p.json:1:16: this is not JSON: trailing characters",
        ),
    ] {
        let error = json_error(text);
        assert_eq!(error.kind(), kind, "{text}\n{error}");
        assert!(
            error.to_string().starts_with(expected),
            "{text}\n{error}\n{expected}"
        );
    }
    let deep = format!("{{\"version\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    assert_eq!(json_error(&deep).position().map(|p| p.0), Some(1));
    let deep = format!("version = {}1{}", "[".repeat(60), "]".repeat(60));
    assert!(toml_error(&deep).to_string().starts_with("whybox.toml:1:"));
}

#[test]
fn a_closer_author_overrides_exactly_the_same_path() {
    let decide = |text: &str, path: &str| {
        Policy::from_toml(text, Path::new("/p/whybox.toml"), &ctx())
            .unwrap()
            .decide(Access::Read, path)
            .allowed
    };
    let preset = "version = 1\npreset = \"agent\"\n[files]\n";
    assert!(!decide(preset, "/etc/shadow"), "hidden by the preset");
    assert!(decide(
        &format!("{preset}read = [\"/etc/shadow\"]"),
        "/etc/shadow"
    ));
    assert!(
        !decide(&format!("{preset}read = [\"/etc\"]"), "/etc/shadow"),
        "a grant above lifts nothing"
    );
    assert!(!decide(
        &format!("{preset}hide = [\"/usr\"]"),
        "/usr/bin/env"
    ));

    let ctx = ctx();
    let mut policy = Policy::from_toml(
        "version = 1\n[files]\nhide = [\"x\"]\nread = [\".\"]",
        Path::new("/p/w.toml"),
        &ctx,
    )
    .unwrap();
    policy
        .add_rule(
            whybox_policy::RuleKind::Write,
            "/p/x",
            ctx.cwd(),
            Source::Flag,
            &ctx,
        )
        .unwrap();
    assert!(
        policy.decide(Access::Write, "/p/x/y").allowed,
        "a flag overrides a file"
    );
    let again = policy
        .add_rule(
            whybox_policy::RuleKind::Hide,
            "/p/x",
            ctx.cwd(),
            Source::Flag,
            &ctx,
        )
        .unwrap_err();
    assert_eq!(
        again.to_string(),
        "`--hide /p/x` contradicts `--write /p/x`: both name exactly the same path; remove one of them, or name a deeper path"
    );
    policy
        .add_rule(
            whybox_policy::RuleKind::Hide,
            "y",
            Path::new("/p"),
            Source::Flag,
            &ctx,
        )
        .unwrap();
    assert!(!policy.decide(Access::Read, "/p/y").allowed);
}

#[test]
fn whose_word_counts_does_not_depend_on_who_speaks_first() {
    use whybox_policy::RuleKind::{Hide, Protect, Read, Write};
    let file = || Source::File {
        path: "p.toml".into(),
        line: 1,
        column: 1,
    };
    let ctx = ctx();
    let decide = |rules: &[(whybox_policy::RuleKind, Source)], access| {
        let mut policy = Policy::default();
        for (kind, source) in rules {
            policy
                .add_rule(*kind, "/x", ctx.cwd(), source.clone(), &ctx)
                .unwrap();
        }
        policy.decide(access, "/x").allowed
    };
    for (one, other, access, expected) in [
        ((Read, Source::Flag), (Hide, file()), Access::Read, true),
        ((Hide, Source::Flag), (Read, file()), Access::Read, false),
        (
            (Write, Source::Flag),
            (Protect, file()),
            Access::Write,
            true,
        ),
        (
            (Protect, Source::Flag),
            (Write, file()),
            Access::Write,
            false,
        ),
        // A grant that loses a part keeps the rest.
        ((Protect, Source::Flag), (Write, file()), Access::Read, true),
    ] {
        assert_eq!(
            decide(&[one.clone(), other.clone()], access),
            expected,
            "{one:?}, {other:?}"
        );
        assert_eq!(
            decide(&[other.clone(), one.clone()], access),
            expected,
            "{other:?}, {one:?}"
        );
    }
}

#[test]
fn g5_digests_cover_the_environment() {
    let digest = |change: fn(&mut whybox_policy::Environment)| {
        let mut policy = Policy::default();
        change(policy.environment_mut());
        policy.digest()
    };
    let digests: std::collections::BTreeSet<String> = [
        digest(|_| ()),
        digest(|e| *e = whybox_policy::Environment::pass()),
        digest(|e| drop(e.allow("A").unwrap().allow("B"))),
        digest(|e| drop(e.allow("AallowB"))),
        digest(|e| drop(e.set("A", "B"))),
        digest(|e| drop(e.set("AB", ""))),
    ]
    .into();
    assert_eq!(digests.len(), 6);
}

#[test]
fn files_are_read_from_disk_and_errors_name_the_path_and_errno() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("p.toml"), "version = 1\n[files]\nread = [\"sub\"]\n").unwrap();
    fs::write(
        at("p.json"),
        r#"{"version": 1, "files": {"read": ["sub"]}}"#,
    )
    .unwrap();
    for name in ["p.toml", "p.json"] {
        let policy = Policy::from_file(at(name)).unwrap();
        assert!(
            policy.decide(Access::Read, at("sub/x")).allowed || dir.path().starts_with("/proc")
        );
        assert_eq!(
            policy.rules()[0].pattern().as_path(),
            Some(at("sub").as_path())
        );
    }
    let relative = Policy::from_file_in("p.toml", &Context::new(dir.path())).unwrap();
    assert_eq!(
        relative.rules()[0].pattern().as_path(),
        Some(at("sub").as_path())
    );

    fs::write(at("latin.toml"), b"# \xe9\n").unwrap();
    fs::write(at("large.toml"), "#".repeat((1 << 20) + 1)).unwrap();
    let fifo = std::process::Command::new("mkfifo")
        .arg(at("fifo"))
        .status()
        .unwrap();
    assert!(fifo.success());
    for (name, part) in [
        ("missing.toml", "cannot read the policy file: ENOENT"),
        ("p.toml/x", "ENOTDIR"),
        ("", "not a regular file"),
        ("fifo", "not a regular file"),
        ("latin.toml", "not UTF-8"),
        ("large.toml", "larger than"),
    ] {
        let error = Policy::from_file(at(name)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().contains(part), "{error}");
        assert!(
            error.to_string().starts_with(&*at(name).to_string_lossy()),
            "{error}"
        );
    }
}
