//! What the record says, and what it does not say.

use std::os::unix::ffi::OsStrExt as _;

use crate::bed::{Bed, have};

/// Words in the output are no refusals.
#[test]
fn obs_02_words_in_the_output() {
    let bed = Bed::new();
    bed.dir("w/sandbox/permission denied");
    let ran = bed
        .sbx()
        .w("$T/w")
        .sh("find $T/w -mindepth 1; echo 'x: Permission denied' >&2; exit 1")
        .code(1)
        .out("$T/w/sandbox\n$T/w/sandbox/permission denied\n")
        .no_entry()
        .unchanged();
    assert_eq!(ran.err, "x: Permission denied\n");
}

/// There is a report whatever the command says, and of the command itself nothing is said.
#[test]
fn obs_04_a_report_of_a_silent_success() {
    let bed = Bed::new();
    let ran = bed
        .sbx()
        .w("$T/w")
        .option(["--no-summary"])
        .sh("cat $T/ro/f 2>/dev/null; exit 0")
        .code(0)
        .out("")
        .record(&["cat file-read-data $T/ro/f (not-granted)"])
        .unchanged();
    assert_eq!(ran.err, "");
    assert_eq!(ran.report["run"]["exit"]["code"], 0);
}

/// Calls that do not go through the C library leave the same entry.
#[test]
fn obs_09_raw_calls() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    bed.sbx()
        .w("$T/w")
        .h("$T/hid")
        .python(
            "import ctypes, struct, os
libc = ctypes.CDLL(None, use_errno=True)
openat = {'x': 257, 'a': 56}[os.uname().machine[0]]
key = b'$T/hid/key'
print(libc.syscall(openat, -100, key, 0), ctypes.get_errno())
print(libc.syscall(437, -100, key, struct.pack('QQQ', 0, 0, 0), ctypes.c_size_t(24)), ctypes.get_errno())
try: open(key)
except OSError as e: print(e.errno)",
        )
        .code(0)
        .out("-1 13\n-1 13\n13\n")
        .record(&["python3 file-lookup $T/hid/key (hidden --hide $T/hid) x3"])
        .unchanged();
}

/// A program without any C library, where the machine can make one.
#[test]
fn obs_09_a_static_program() {
    if !have(&["gcc"]) {
        return;
    }
    let bed = Bed::new();
    bed.write("ro/p.c", "#include <fcntl.h>\n#include <errno.h>\nint main(int c, char **v) { return open(v[1], O_RDONLY) < 0 ? errno : 0; }\n");
    let built = std::process::Command::new("gcc")
        .args(["-static", "-o"])
        .args([bed.path("ro/p"), bed.path("ro/p.c")])
        .output()
        .unwrap();
    if !built.status.success() {
        return crate::bed::skip("no static C library");
    }
    bed.sbx()
        .r("$T/ro")
        .h("$T/hid")
        .from("ro")
        .run(&["./p", "$T/hid/key"])
        .code(13)
        .out("")
        .record(&["p file-lookup $T/hid/key (hidden --hide $T/hid)"])
        .unchanged();
}

/// A failure of the command's own is not the sandbox's.
#[test]
fn obs_10_an_ordinary_failure() {
    let bed = Bed::new();
    let ran = bed
        .sbx()
        .w("$T/w")
        .sh("grep -q nosuch /etc/passwd || false")
        .code(1)
        .out("")
        .no_entry()
        .unchanged();
    assert_eq!(ran.err, "");
}

/// Bytes that are no text can be hidden, granted and reported, and be had back from the report.
#[test]
fn obs_16_names_that_are_no_text() {
    let name = std::ffi::OsStr::from_bytes(b"\xffx\n\"y");
    for bed in [Bed::new(), Bed::in_tmp()] {
        let file = bed.path("w").join(name);
        std::fs::write(&file, "1\n").unwrap();
        // As whybox and the shell in the cage get it, by a pattern, so that the bytes take no detour.
        let ran = bed
            .sbx()
            .w("$T/w")
            .option([std::ffi::OsStr::new("--hide"), file.as_os_str()])
            .sh("cat $T/w/?x*y")
            .code(1)
            .out("")
            .unchanged();
        let entries = ran.report["violations"].as_array().unwrap();
        assert_eq!(entries.len(), 1, "{ran:#?}");
        let target = &entries[0]["target"];
        assert!(
            target["text"]
                .as_str()
                .unwrap()
                .ends_with(r#"/w/\xffx\n"y"#),
            "{target}"
        );
        assert!(!target["bytes"].is_null(), "{target}");
        assert_eq!(
            ran.err
                .lines()
                .filter(|line| line.contains("refused"))
                .count(),
            2,
            "{ran:#?}"
        );
        bed.sbx()
            .option([std::ffi::OsStr::new("--read"), file.as_os_str()])
            .w("$T/h")
            .from("h")
            .sh("IFS=; cat \"$(printf '%s/w/\\377x\\n\"y' $T)\"")
            .code(0)
            .out("1\n")
            .no_entry()
            .unchanged();
    }
}

/// Whoever runs it sees what was refused, without any privilege, and coverage says so.
#[test]
fn obs_18_observed_without_privileges() {
    let bed = Bed::new();
    let ran = bed
        .sbx()
        .r("$T/ro")
        .w("$T/w")
        .h("$T/hid")
        .run(&["cat", "$T/hid/key"])
        .code(1)
        .record(&["cat file-lookup $T/hid/key (hidden --hide $T/hid)"])
        .unchanged();
    let classes = &ran.report["coverage"]["classes"];
    assert_eq!(classes["file-read"]["state"], "exact");
    assert_eq!(classes["file-read"]["witnesses"][0], "ghost");
    assert_eq!(classes["network"]["state"], "not-observed");
}

/// What is hidden is an entry, what does not exist is none.
#[test]
fn obs_23_hidden_and_missing_differ() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.sbx()
            .w("$T/w")
            .h("$T/hid")
            .run(&["cat", "$T/hid/key", "$T/w/nope"])
            .code(1)
            .out("")
            .record(&["cat file-lookup $T/hid/key (hidden --hide $T/hid)"])
            .unchanged();
        let ran = bed
            .sbx()
            .w("$T/w")
            .h("$T/hid")
            .run(&["cat", "$T/hid/key", "$T/hid/nope"])
            .code(1);
        let entries = ran.report["violations"].as_array().unwrap();
        let exists: Vec<_> = entries.iter().map(|entry| &entry["exists"]).collect();
        assert_eq!(
            exists,
            [&serde_json::json!(true), &serde_json::json!(false)]
        );
    }
}

/// A hidden file is no empty one, nor a device.
#[test]
fn obs_24_a_hidden_file_is_not_empty() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.write("w/.env", "A=1\n");
        bed.sbx()
            .w("$T/w")
            .h("$T/w/.env")
            .sh("cat .env; echo rc=$?; test -c .env || test -b .env || test -r .env || echo no device; (echo x >.env) 2>/dev/null || echo not written")
            .code(0)
            .out("rc=1\nno device\nnot written\n")
            .unchanged();
    }
}

/// The entry names the process, whichever of its threads it was, and also one that has ended at once.
#[test]
fn obs_26_threads_and_short_lives() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    let ran = bed
        .sbx()
        .w("$T/w")
        .h("$T/hid")
        .python(
            "import threading, subprocess
def f():
    try: open('$T/hid/key')
    except OSError as e: pass
    subprocess.run(['cat', '$T/hid/other'], stderr=-3)
ts = [threading.Thread(target=f) for _ in range(8)]
for t in ts: t.start()
for t in ts: t.join()",
        )
        .code(0)
        .out("")
        .unchanged();
    let mut entries = ran.entries();
    entries.sort();
    let mut expected = vec!["cat file-lookup $T/hid/other (hidden --hide $T/hid)"; 8];
    expected.push("python3 file-lookup $T/hid/key (hidden --hide $T/hid) x8");
    assert_eq!(entries, expected);
    for entry in ran.report["violations"].as_array().unwrap() {
        let process = &entry["process"];
        let exe = process["exe"].as_str().unwrap();
        assert!(exe.ends_with("/cat") || exe.contains("/python3"), "{entry}");
    }
}
