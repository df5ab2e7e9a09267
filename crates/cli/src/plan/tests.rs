#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clap::Parser as _;
use whybox::policy::{Access, Network, Tmp};

use super::*;
use crate::args::{Action, Cli};

fn options(words: &[&str]) -> RunOptions {
    let words = ["whybox", "run"].iter().chain(words);
    match Cli::try_parse_from(words).unwrap().into_action() {
        Action::Run(options) => *options,
        other => panic!("{other:?}"),
    }
}

fn context() -> Context {
    Context::new("/home/u/app").with_home("/home/u")
}

fn plan(words: &[&str]) -> Plan {
    Plan::new(&options(words), &context()).unwrap()
}

fn failure(words: &[&str]) -> Failure {
    Plan::new(&options(words), &context()).unwrap_err()
}

/// The command keeps every word from the first that is no option.
#[test]
fn options_end_at_the_first_word() {
    let words = |line: &[&str]| options(line).command;
    assert_eq!(words(&["ls", "-la", "--color"]), ["ls", "-la", "--color"]);
    assert_eq!(words(&["--", "-x", "--"]), ["-x", "--"]);
    assert_eq!(
        words(&["--net", "all", "sh", "-c", "x", "--", "--help"]),
        ["sh", "-c", "x", "--", "--help"]
    );
    assert_eq!(words(&["-r", "/a", "-x/b", "run", "-r"]), ["run", "-r"]);
    assert_eq!(words(&["env", "--env", "A=b"]), ["env", "--env", "A=b"]);
}

#[test]
fn the_preset_is_agent_unless_something_else_is_named() {
    assert_eq!(
        plan(&["true"]).policy,
        Policy::preset("agent", &context()).unwrap()
    );
    assert_eq!(
        plan(&["--preset", "none", "true"]).policy,
        Policy::preset("none", &context()).unwrap()
    );
    let line = ["whybox", "run", "--preset", "none", "--policy", "x", "true"];
    assert!(Cli::try_parse_from(line).is_err());
}

#[test]
fn paths_are_relative_to_the_working_directory_and_have_variables() {
    let words = [
        "--preset",
        "none",
        "-r",
        "doc",
        "-w",
        "~/out",
        "-x",
        "/usr",
        "--hide",
        "doc/*.key",
        "--protect",
        "../app/doc/x",
    ];
    let policy = plan(&[&words[..], &["true"]].concat()).policy;
    let allows = |access, path| policy.decide(access, path).allowed;
    assert!(allows(Access::Read, "/home/u/app/doc/a"));
    assert!(!allows(Access::Read, "/home/u/app/src"));
    assert!(allows(Access::Write, "/home/u/out/a"));
    assert!(allows(Access::Exec, "/usr/bin/ls"));
    assert!(!allows(Access::Read, "/home/u/app/doc/a.key"));
    assert!(!allows(Access::Write, "/home/u/app/doc/x"));
}

/// V4: an entry names the flag as it was typed.
#[test]
fn rules_are_known_as_flags() {
    let policy = plan(&["--hide", ".env", "true"]).policy;
    let decision = policy.decide(Access::Read, "/home/u/app/.env");
    assert_eq!(decision.rule.unwrap().to_string(), "--hide .env");
}

#[test]
fn settings_replace_those_of_the_preset() {
    let policy = plan(&["--net", "all", "--tmp", "host", "true"]).policy;
    assert_eq!((policy.network(), policy.tmp()), (Network::All, Tmp::Host));
    let kept = plan(&["--preset", "build", "true"]).policy;
    assert_eq!(
        kept.network(),
        Policy::preset("build", &context()).unwrap().network()
    );
}

#[test]
fn the_environment_is_passed_set_or_cleared() {
    let resolve = |words: &[&str]| -> Vec<String> {
        let policy = plan(&[words, &["true"]].concat()).policy;
        let ours =
            [("A", "1"), ("NPM_TOKEN", "2")].map(|(name, value)| (name.into(), value.into()));
        let vars = policy.environment().resolve(ours.into_iter()).vars;
        let text = |(name, value): &(OsString, OsString)| {
            format!("{}={}", name.display(), value.display())
        };
        vars.iter().map(text).collect()
    };
    let has = |list: &[String], word: &str| list.iter().any(|known| known == word);
    let plain = resolve(&[]);
    assert!(
        has(&plain, "A=1") && !has(&plain, "NPM_TOKEN=2"),
        "{plain:?}"
    );
    assert!(has(&resolve(&["--env", "NPM_TOKEN"]), "NPM_TOKEN=2"));
    assert_eq!(resolve(&["--clear-env"]), [""; 0]);
    assert_eq!(
        resolve(&["--env", "B=x=y", "--clear-env", "--env", "A"]),
        ["A=1", "B=x=y"]
    );
}

#[test]
fn mistakes_are_bad_usage_and_name_the_option() {
    let wrong = failure(&["-w", "a[", "true"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.text.starts_with("--write \"a[\": "), "{wrong}");
    let both = failure(&["-w", "a", "--hide", "a", "true"]);
    assert_eq!(both.status, 2);
    assert!(both.text.contains("contradicts"), "{both}");
    assert_eq!(failure(&["--policy", "/nonexistent/x", "true"]).status, 2);
    assert_eq!(failure(&["--env", "A*B=1", "true"]).status, 2);
}

#[test]
fn the_rest_is_taken_over() {
    let words = [
        "--timeout",
        "2m",
        "--no-summary",
        "--fail-on-denial",
        "--color",
        "never",
        "a",
        "b",
    ];
    let plan = plan(&words);
    assert_eq!(plan.timeout, Some(Duration::from_secs(120)));
    assert!(!plan.summary && plan.fail_on_denial);
    assert_eq!(plan.colour, Colour::Never);
    assert_eq!(plan.words, ["a", "b"]);
}
