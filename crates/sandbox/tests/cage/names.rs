//! Names that a confined program chooses are hostile text (V11).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use whybox::record::text;

use crate::common::{Tree, denials_of, lines, python, run};

const NAMES: &[&[u8]] = &[
    b"plain\nhead[1] refused file-read-data key (no rule grants it)",
    b"\x1b[2J\x1b]0;title\x07",
    b"\xff\xfe not utf-8 \x80",
    "\u{202e}gpj.exe \u{200b} \u{2028}".as_bytes(),
    b" (no rule grants it)",
    b"\"quoted\\\" 'and' \\n",
    b"tab\tbell\x07delete\x7f",
];

/// Each name is one entry on one line of plain text, and comes back byte for byte.
#[test]
fn odd_targets_are_told_reversibly_on_one_line() {
    let tree = Tree::new();
    let hidden = tree.directory("hidden");
    for name in NAMES {
        std::fs::write(hidden.join(OsStr::from_bytes(name)), "s3cret").unwrap();
    }
    let literals: Vec<String> = NAMES.iter().map(|name| python_bytes(name)).collect();
    let script = format!(
        "for name in [{}]:\n    try: read(b'hidden/' + name)\n    except OSError: pass",
        literals.join(", ")
    );
    let outcome = run(
        &tree.open().hide("hidden").build().unwrap(),
        &mut python(tree.root(), &script),
    );
    outcome.success();
    assert_eq!(
        outcome.record.denials().count(),
        NAMES.len(),
        "{}",
        lines(&outcome.record)
    );
    for name in NAMES {
        let path = hidden.join(OsStr::from_bytes(name));
        let entries = denials_of(&outcome.record, &path);
        assert_eq!(entries.len(), 1, "{name:?}");
        let line = entries[0].to_string();
        assert!(
            line.chars()
                .all(|c| !c.is_control() && c != '\u{202e}' && c != '\u{2028}' && c != '\u{200b}'),
            "{line:?}"
        );
        let json = entries[0].to_json_line().unwrap();
        assert_eq!(json.trim_end().lines().count(), 1);
        assert!(
            json.trim_end()
                .bytes()
                .all(|byte| (0x20..0x7f).contains(&byte) || byte >= 0x80),
            "{json:?}"
        );
        assert_eq!(
            text::unescape(&text::escape(path.as_os_str().as_bytes())).unwrap(),
            path.as_os_str().as_bytes()
        );
    }
}

/// The name of a process is chosen by it, too.
#[test]
fn odd_process_names_are_told_on_one_line() {
    let tree = Tree::new();
    let key = tree.file("key", "s3cret");
    let script =
        "libc.prctl(15, b'a\\nb\\x1b[2J\\xff', 0, 0, 0)\ntry: read('key')\nexcept OSError: pass";
    let outcome = run(
        &tree.open().hide("key").build().unwrap(),
        &mut python(tree.root(), script),
    );
    outcome.success();
    let entry = denials_of(&outcome.record, &key)[0];
    assert_eq!(entry.process.name(), b"a\nb\x1b[2J\xff");
    let line = entry.to_string();
    assert!(line.starts_with(r#""a\nb\x1b[2J\xff"["#), "{line}");
    assert_eq!(line.lines().count(), 1);
}

/// Paths as long as the kernel takes them, and longer than it does by descriptors.
#[test]
fn long_paths_are_told_and_bounded() {
    let tree = Tree::new();
    tree.directory("hidden");
    let policy = tree.open().hide("hidden").build().unwrap();
    let script = "top = os.getcwd() + '/hidden/'\n\
                  path = top + 'd/' * ((4095 - len(top)) // 2 - 8) + 'x' * 16\n\
                  for target in (path, path[:4095], 'hidden/' + 'n' * 255):\n    \
                  try: read(target)\n    except OSError as error: print(errno.errorcode[error.errno])";
    let outcome = run(&policy, &mut python(tree.root(), script));
    assert_eq!(outcome.success(), "EACCES\nEACCES\nEACCES");
    assert!(
        outcome.record.denials().count() >= 2,
        "{}",
        lines(&outcome.record)
    );
    assert!(
        outcome
            .record
            .iter()
            .all(|entry| entry.target.bytes().len() <= 4096)
    );
    assert!(
        !denials_of(&outcome.record, tree.path("hidden").join("n".repeat(255))).is_empty(),
        "{}",
        lines(&outcome.record)
    );
}

/// OBS-16: such a path can be granted and hidden by rules.
#[test]
fn rules_hold_for_names_that_are_not_text() {
    let tree = Tree::new();
    let odd = OsStr::from_bytes(b"\xffx\n\"y");
    let path = tree.file(odd, "s3cret");
    let script = format!("print(read({}))", python_bytes(path.as_os_str().as_bytes()));
    assert_eq!(
        run(
            &tree.open().build().unwrap(),
            &mut python(tree.root(), &script)
        )
        .success(),
        "b's3cret'"
    );
    let outcome = run(
        &tree.open().hide(&path).build().unwrap(),
        &mut python(tree.root(), &script),
    );
    assert_eq!(outcome.code(), 1);
    assert_eq!(
        denials_of(&outcome.record, &path).len(),
        1,
        "{}",
        lines(&outcome.record)
    );
}

fn python_bytes(bytes: &[u8]) -> String {
    let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("b'{escaped}'")
}
