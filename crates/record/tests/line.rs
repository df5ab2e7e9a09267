//! An entry as text: its line (V3), its reason (V4), hostile names (V11).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::Arc;

use common::{any_event, call, event, hostile, read};
use proptest::prelude::*;
use whybox_record::text::{escape, quote, unescape, unquote};
use whybox_record::{
    DeniedBy, DeniedByKind, Kind, Operation, OrdinaryPermissions, Process, Target, Violation,
};

fn line(event: whybox_record::Event) -> String {
    Violation::new(1, event).to_string()
}

/// V3: the line as documented.
#[test]
fn an_entry_is_one_line() {
    let mut event = read(4127, "/home/u/app/.env");
    event.process = Arc::new(Process::new(4127, 1, b"head"));
    event.denied_by = Arc::new(DeniedBy::new(DeniedByKind::Hidden).with_rule("--hide .env"));
    assert_eq!(
        line(event),
        "head[4127] refused file-read-data /home/u/app/.env (hidden by --hide .env)"
    );
    assert_eq!(
        line(call(9, "node", "io_uring_setup(8)", "io-uring").with_kind(Kind::Probe)),
        "node[9] probed system-call \"io_uring_setup(8)\" (always refused, class io-uring)"
    );
    let rename = event_with_both_ends().with_ordinary_permissions(OrdinaryPermissions::Deny);
    let mut rename = Violation::new(1, rename);
    rename.repeats = 3;
    assert_eq!(
        rename.to_string(),
        "mv[5] refused file-write-unlink /ro/f with /w/g \
         (no rule grants it; ordinary permissions refuse it too), 3 times"
    );
}

fn event_with_both_ends() -> whybox_record::Event {
    event(Operation::FileWriteUnlink, 5, "mv", Target::path(b"/ro/f"))
        .with_other_target(Target::path(b"/w/g"))
}

/// V4: every reason reads as one, with its rule where it has one, and no two alike.
#[test]
fn every_reason_reads() {
    let mut seen = std::collections::HashSet::new();
    for kind in DeniedByKind::ALL {
        let bare = DeniedBy::new(*kind).to_string();
        assert!(!bare.is_empty() && !bare.contains("  "), "{kind}: {bare}");
        assert!(seen.insert(bare.clone()), "{kind}: {bare}");
        let full = DeniedBy::new(*kind)
            .with_rule("--rule")
            .with_source("whybox.toml:7:9");
        assert!(full.to_string().ends_with(", whybox.toml:7:9"), "{full}");
    }
    let by_class = DeniedBy::new(DeniedByKind::ProtectedName).with_class("git-hooks");
    assert_eq!(by_class.to_string(), "a protected name of class git-hooks");
}

/// V11, H31: names that look like entries, end the line, or drive a terminal.
#[test]
fn names_cannot_forge_lines() {
    let forged = "/x (no rule grants it)\nwhybox: 0 operations were refused\n\u{1b}[2J";
    let mut event = read(1, forged);
    event.process = Arc::new(Process::new(1, 1, b"cat[9] refused signal"));
    assert_eq!(
        line(event),
        "\"cat[9] refused signal\"[1] refused file-read-data \
         \"/x (no rule grants it)\\nwhybox: 0 operations were refused\\n\\x1b[2J\" \
         (no rule grants it)"
    );
}

/// V11: a rule's text may hold a name that a repository chose.
#[test]
fn rules_cannot_end_the_line() {
    let denied_by = DeniedBy::new(DeniedByKind::Hidden)
        .with_rule("--hide a\n\u{1b}[2J")
        .with_source("x\u{202e}.toml:1:1");
    assert_eq!(
        denied_by.to_string(),
        "hidden by --hide a\\n\\x1b[2J, x\\u{202e}.toml:1:1"
    );
}

/// V11: what a reader cannot see is written out; what a language needs is not.
#[test]
fn invisible_characters_are_written_out() {
    for hidden in "\u{7f}\u{85}\u{9b}\u{a0}\u{ad}\u{34f}\u{61c}\u{115f}\u{180e}\u{200b}\u{200d}\
                   \u{200f}\u{2028}\u{202e}\u{2066}\u{2800}\u{3000}\u{3164}\u{fe0f}\u{feff}\
                   \u{fffe}\u{e0041}\u{e0100}\u{e000}"
        .chars()
    {
        let text = format!("a{hidden}b");
        let escaped = escape(text.as_bytes());
        assert!(escaped.is_ascii(), "{escaped:?}");
        assert!(!quote(text.as_bytes()).contains(hidden), "{escaped:?}");
    }
    for shown in [
        "ü",
        "日本語",
        "Ελληνικά",
        "עברית",
        "หน้า",
        "हिन्दी",
        "e\u{301}",
        "🦀",
    ] {
        assert_eq!(escape(shown.as_bytes()), shown);
    }
    assert_eq!(
        escape("e\u{301}\u{301}\u{301}".as_bytes()),
        "e\u{301}\u{301}\\u{301}"
    );
    assert_eq!(escape("/\u{301}".as_bytes()), "/\\u{301}");
}

/// A name that exceeds the bound is cut between characters, and says so.
#[test]
fn long_names_are_cut_visibly() {
    let long = format!("/{}ü", "a".repeat(Target::MAX - 2));
    let target = Target::path(long.as_bytes());
    assert!(target.is_cut());
    assert_eq!(target.bytes().len(), Target::MAX - 1);
    assert!(target.to_string().ends_with("a\"..."));
    let exact = Target::path(&[b'a'; Target::MAX]);
    assert!(!exact.is_cut());
    assert_ne!(
        exact.to_string(),
        Target::path(&[b'a'; Target::MAX + 1]).to_string()
    );
    assert_eq!(
        Process::new(1, 1, &[b'n'; 999]).name().len(),
        Process::NAME_MAX
    );
}

#[test]
fn bad_escapes_are_errors() {
    for bad in [
        r"\",
        r"\q",
        r"\x",
        r"\x1",
        r"\xgg",
        r"\x+1",
        r"\u",
        r"\u{",
        r"\u{}",
        r"\u{d800}",
        r"\u{+41}",
        r"\u{1234567}",
        r"\xü",
    ] {
        let error = unescape(bad).unwrap_err().to_string();
        assert!(error.contains("at byte 0"), "{bad}: {error}");
    }
    for bad in [
        "",
        "\"",
        "\"a",
        "\"a\\\"",
        "\"a\"b\"",
        "a b",
        "a\"",
        "(",
        "a\u{200b}",
    ] {
        assert!(unquote(bad).is_err(), "{bad:?}");
    }
}

/// Name, pid, operation, target, other target.
type Parts = (Vec<u8>, u32, String, String, Option<String>);

/// Reads a line back, as anyone can who knows the form.
fn parse(line: &str) -> Option<Parts> {
    let (name, rest) = word(line)?;
    let (pid, rest) = rest.strip_prefix('[')?.split_once("] ")?;
    let verb = Kind::ALL
        .iter()
        .map(|kind| format!("{} ", kind.verb()))
        .filter(|verb| rest.starts_with(verb))
        .max_by_key(String::len)?;
    let (operation, rest) = rest.strip_prefix(&verb)?.split_once(' ')?;
    let (target, rest) = word(rest)?;
    let (target, rest) = dots(target, rest);
    let (other, rest) = match rest.strip_prefix(" with ") {
        Some(rest) => {
            let (other, rest) = word(rest)?;
            let (other, rest) = dots(other, rest);
            (Some(other), rest)
        }
        None => (None, rest),
    };
    rest.strip_prefix(" (")?;
    Some((
        unquote(name).ok()?,
        pid.parse().ok()?,
        operation.to_owned(),
        target,
        other,
    ))
}

fn dots<'a>(word: &str, rest: &'a str) -> (String, &'a str) {
    match rest.strip_prefix("...") {
        Some(rest) => (format!("{word}..."), rest),
        None => (word.to_owned(), rest),
    }
}

fn word(text: &str) -> Option<(&str, &str)> {
    let mut backslash = false;
    let quoted = text.starts_with('"');
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if quoted && !backslash => return Some(text.split_at(at + 1)),
            ' ' | '[' if !quoted => return Some(text.split_at(at)),
            _ => backslash = c == '\\' && !backslash,
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// V11: escaping loses nothing, and leaves nothing that a terminal would obey.
    #[test]
    fn escaping_is_reversible(bytes in hostile()) {
        let escaped = escape(&bytes);
        prop_assert_eq!(unescape(&escaped).unwrap(), bytes.clone());
        prop_assert!(!escaped.chars().any(char::is_control), "{:?}", escaped);
        let quoted = quote(&bytes);
        prop_assert_eq!(unquote(&quoted).unwrap(), bytes.clone());
        prop_assert!(!quoted.chars().any(char::is_control), "{:?}", quoted);
    }

    /// V11: a line is one line, and its parts can be told apart whatever they hold.
    #[test]
    fn lines_can_be_read_back(event in any_event()) {
        let line = Violation::new(1, event.clone()).to_string();
        prop_assert!(!line.chars().any(char::is_control), "{:?}", line);
        let (name, pid, operation, target, other) = parse(&line).expect(&line);
        prop_assert_eq!(name, event.process.name());
        prop_assert_eq!(pid, event.process.pid());
        prop_assert_eq!(operation, event.operation.as_str());
        prop_assert_eq!(target, event.target.to_string());
        prop_assert_eq!(other, event.other_target.map(|other| other.to_string()));
    }

    /// V11: no two different targets give the same line.
    #[test]
    fn different_targets_give_different_lines(one in hostile(), other in hostile()) {
        let target = |bytes: &[u8]| line(event(Operation::Signal, 1, "x", Target::path(bytes)));
        prop_assert_eq!(one == other, target(&one) == target(&other));
    }

    /// Reading never panics, whatever it is given.
    #[test]
    fn reading_text_never_panics(text in "(\\\\|[xu{}\"]|[0-9a-f]|\\PC|.){0,24}") {
        if let Ok(bytes) = unescape(&text) {
            prop_assert_eq!(unescape(&escape(&bytes)).unwrap(), bytes);
        }
        if let Ok(bytes) = unquote(&text) {
            prop_assert_eq!(unquote(&quote(&bytes)).unwrap(), bytes);
        }
    }
}
