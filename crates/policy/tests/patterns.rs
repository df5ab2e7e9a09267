//! How the text of a path or glob is read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use whybox_policy::{Context, ErrorKind, Pattern, PolicyError};

fn parse(text: &str) -> Result<Pattern, PolicyError> {
    let ctx = Context::new("/home/u/app")
        .with_home("/home/u")
        .with_xdg("XDG_DATA_HOME", "/data");
    Pattern::parse(text.as_ref(), Path::new("/base/dir"), &ctx)
}

/// A path as itself, a glob as its base and pattern.
fn shown(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Path(path) => path.to_str().unwrap().to_owned(),
        Pattern::Glob(glob) => format!("{} | {}", glob.base().to_str().unwrap(), glob.pattern()),
        _ => unreachable!(),
    }
}

#[test]
fn paths_are_made_absolute_and_normal() {
    for (text, expected) in [
        ("/", "/"),
        ("//a///b/", "/a/b"),
        ("/a/./b/../c", "/a/c"),
        ("/../..", "/"),
        (".", "/base/dir"),
        ("x/y", "/base/dir/x/y"),
        ("../y", "/base/y"),
        ("~", "/home/u"),
        ("~/x", "/home/u/x"),
        ("~//x/../y", "/home/u/y"),
        ("$HOME/x", "/home/u/x"),
        ("${HOME}/x", "/home/u/x"),
        ("$CWD", "/home/u/app"),
        ("$XDG_CONFIG_HOME/git", "/home/u/.config/git"),
        ("$XDG_DATA_HOME", "/data"),
        ("./~x", "/base/dir/~x"),
        ("./$x", "/base/dir/$x"),
        ("/a/$HOME", "/a/$HOME"),
        ("/a b/\\c]}", "/a b/\\c]}"),
    ] {
        assert_eq!(shown(&parse(text).unwrap()), expected, "{text}");
    }
}

#[test]
fn globs_have_a_literal_base_and_a_normal_pattern() {
    for (text, expected) in [
        ("*.rs", "/base/dir | *.rs"),
        ("a//b/./*.rs", "/base/dir/a/b | *.rs"),
        ("../x/*/y/./z/", "/base/x | */y/z"),
        ("~/**/.env", "/home/u | **/.env"),
        ("/**/**/x", "/ | **/x"),
        ("/a/{b,c/d}/e", "/a | {b,c/d}/e"),
        ("/a/[/]]*", "error"),
        ("/a/[]x]/b", "/a | []x]/b"),
        ("/a/[!]x]/b", "/a | [!]x]/b"),
        // A rule covers what is beneath anyway.
        ("/a/**", "/a"),
        ("/a/b*/**", "/a | b*"),
        ("**", "/base/dir"),
        // Escaped: plain names.
        ("/app/\\[id\\]/x", "/app/[id]/x"),
        ("/app/\\[id\\]/*.x", "/app/[id] | *.x"),
        ("/a/\\*b/c\\?*", "/a/*b | c\\?*"),
    ] {
        let found = parse(text).map_or("error".into(), |p| shown(&p));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_an_error_that_says_what_to_do() {
    for (text, kind, part) in [
        ("", ErrorKind::Path, "write `.`"),
        ("a\0b", ErrorKind::Path, "NUL"),
        (
            "$NOPE/x",
            ErrorKind::Path,
            "unknown variable `$NOPE`; there are $HOME, $CWD",
        ),
        ("$HOMEx", ErrorKind::Path, "unknown variable"),
        ("${HOME}x", ErrorKind::Path, "write `./$...`"),
        ("${HOME", ErrorKind::Path, "write `./$...`"),
        ("$", ErrorKind::Path, "write `./$...`"),
        ("~root/x", ErrorKind::Path, "write `./~...`"),
        ("$REPO/x", ErrorKind::Variable, "no git repository"),
        ("$XDG_RUNTIME_DIR/x", ErrorKind::Variable, "not set"),
        ("a/[b", ErrorKind::Glob, "`[` without `]`"),
        ("a/[b/]", ErrorKind::Glob, "`[` without `]`"),
        ("a/{b", ErrorKind::Glob, "bad glob"),
        ("*/b}", ErrorKind::Glob, "bad glob"),
        ("a/[z-a]", ErrorKind::Glob, "bad glob"),
        ("a*\\", ErrorKind::Glob, "bad glob"),
        ("*/../x", ErrorKind::Glob, "`..` cannot follow"),
        ("*/{a,..}/x", ErrorKind::Glob, "`..` cannot follow"),
        ("a**b", ErrorKind::Glob, "whole component"),
        ("a\\/b*", ErrorKind::Glob, "before a slash"),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!(error.kind(), kind, "{text}: {error}");
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
    let long = "/a".repeat(2100);
    assert!(parse(&long).unwrap_err().to_string().contains("4095"));
}

#[test]
fn v11_paths_that_are_not_utf8_survive_and_such_globs_are_refused() {
    let ctx = Context::new("/w");
    let text = OsStr::from_bytes(b"a/\xff\\x");
    let pattern = Pattern::parse(text, ctx.cwd(), &ctx).unwrap();
    assert_eq!(
        pattern.as_path().unwrap().as_os_str().as_bytes(),
        b"/w/a/\xff\\x"
    );
    let glob = Pattern::parse(OsStr::from_bytes(b"a/\xff*"), ctx.cwd(), &ctx);
    assert_eq!(glob.unwrap_err().kind(), ErrorKind::Glob);
    let base = Path::new(OsStr::from_bytes(b"/\xff[x]"));
    let Pattern::Glob(glob) = Pattern::parse("*.env".as_ref(), base, &ctx).unwrap() else {
        panic!()
    };
    assert_eq!(glob.base(), base);
    assert!(glob.is_match(&base.join("a.env")));
    assert!(!glob.is_match(Path::new("/x/a.env")), "the base is no glob");
}

#[test]
fn s2_globs_too_large_to_compile_together_still_hide() {
    let ctx = Context::new("/w");
    // Each is fine alone; together they are more than one automaton may hold.
    let globs: Vec<String> = (0..60)
        .map(|n| format!("{n}-{}*x", "?".repeat(3500)))
        .collect();
    let policy = globs.iter().fold(
        whybox_policy::Policy::builder(&ctx).read("/w"),
        |b, glob| b.hide(glob),
    );
    let decider = policy.build().unwrap().decider();
    for (n, expected) in [(0, false), (59, false), (60, true)] {
        let name = format!("/w/{n}-{}x", "a".repeat(3510));
        assert_eq!(
            decider
                .decide(whybox_policy::Access::Read, Path::new(&name))
                .allowed,
            expected
        );
    }
}
