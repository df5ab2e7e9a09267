//! Many rules, many files, many processes.

use std::fs;

use crate::bed::{Bed, have};

/// Names of one empty file, which are quicker made than files; of them the snapshots of a bed compare the number.
fn many(bed: &Bed, directories: usize, files: usize, ending: &str) {
    let empty = bed.path("ro/empty");
    fs::write(&empty, "").unwrap();
    for directory in 0..directories {
        bed.dir(&format!("big/d{directory}"));
        let directory = bed.path(&format!("big/d{directory}"));
        for file in 0..files {
            fs::hard_link(&empty, directory.join(format!("{file}{ending}"))).unwrap();
        }
    }
}

/// However many patterns there are, the tree is walked once.
#[test]
fn per_01_one_walk_for_all_patterns() {
    if !have(&["strace"]) {
        return;
    }
    let bed = Bed::new();
    many(&bed, 20, 100, ".txt");
    bed.write("big/d7/id_rsa", "s3cret\n");
    let log = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
    let log = log.path().to_str().unwrap();
    let mut sbx = bed.sbx().w("$T/big");
    for name in [".env", "id_rsa", "*.key", "*.pem", "cred.json", "secret*"] {
        sbx = sbx.h(&format!("$T/big/**/{name}"));
    }
    sbx.run_by(
        &[
            "strace",
            "-f",
            "-qq",
            "-y",
            "-o",
            log,
            "-e",
            "trace=getdents64",
        ],
        &["cat", "$T/big/d7/id_rsa"],
    )
    .code(1)
    .out("")
    .record(&["cat file-read-data $T/big/d7/id_rsa (hidden --hide $T/big/**/id_rsa)"])
    .unchanged();
    let log = fs::read_to_string(log).unwrap();
    for directory in 0..20 {
        let name = bed.fill(&format!("<$T/big/d{directory}>"));
        // Two calls list a directory: the second says that there is no more.
        let calls = log.lines().filter(|line| line.contains(&name)).count();
        assert_eq!(calls, 2, "{name}");
    }
}

/// More names than there can be mounts stop the start, with a sentence that says what to do.
#[test]
fn per_02_a_pattern_that_matches_too_much() {
    let bed = Bed::new();
    many(&bed, 1, 20_000, ".parquet");
    let ran = bed
        .sbx()
        .w("$T/big")
        .h("$T/big/**/*.parquet")
        .run(&["echo", "started"])
        .code(125)
        .out("")
        .unchanged();
    assert_eq!(ran.err.lines().count(), 1, "{ran:#?}");
    for part in ["*.parquet", "1000", "glob-matches"] {
        assert!(ran.err.contains(part), "{ran:#?}");
    }
    let ran = bed
        .sbx()
        .w("$T/w")
        .h("$T/big")
        .sh("echo started; cat $T/big/d0/1.parquet")
        .code(1)
        .out("started\n");
    assert_eq!(ran.entries().len(), 1, "{ran:#?}");
}

/// The gap is accepted by name, and coverage tells that it was.
#[test]
fn per_02_the_gap_is_accepted_by_name() {
    let bed = Bed::new();
    many(&bed, 1, 1_100, ".parquet");
    let ran = bed
        .sbx()
        .w("$T/w")
        .r("$T/big")
        .h("$T/big/**/*.parquet")
        .option(["--accept-gap", "glob-matches"])
        .run(&["echo", "started"])
        .code(0)
        .out("started\n")
        .unchanged();
    assert_eq!(ran.report["coverage"]["gaps"][0], "glob-matches");
}

/// The caller's environment may be large.
#[test]
fn per_02_a_large_environment() {
    let bed = Bed::new();
    let mut sbx = bed.sbx().w("$T/w");
    for name in ["A", "B", "C", "D", "E", "F", "G", "H"] {
        sbx = sbx.env(name, "a".repeat(120_000));
    }
    sbx.sh("echo ${#A} ${#H}")
        .code(0)
        .out("120000 120000\n")
        .no_entry()
        .unchanged();
}

/// Many starts within one cage, and twenty rules.
#[test]
fn per_03_many_programs_under_many_rules() {
    let bed = Bed::new();
    let mut sbx = bed.sbx().w("$T/w").h("$T/hid");
    for rule in 0..20 {
        bed.dir(&format!("h/{rule}"));
        sbx = sbx.h(&format!("$T/h/{rule}"));
    }
    sbx.sh("i=0; while [ $i -lt 100 ]; do /bin/true || exit 1; i=$((i+1)); done; echo $i")
        .code(0)
        .out("100\n")
        .no_entry()
        .unchanged();
}

/// Each of many allowed reads is right, and each of many refused ones is told.
#[test]
fn per_04_many_reads() {
    let bed = Bed::new();
    for file in 0..1_000 {
        bed.write(&format!("w/f{file}"), &format!("{file}\n"));
    }
    bed.sbx()
        .w("$T/w")
        .h("$T/hid")
        .sh("cat f* | sort -n | uniq | wc -l; cat $(yes $T/hid/key | head -n 500) 2>&1 | wc -l; find . -type f -exec stat -c %s {} + | wc -l")
        .code(0)
        .out("1000\n500\n1000\n")
        .record(&["cat file-lookup $T/hid/key (hidden --hide $T/hid) x500"])
        .unchanged();
}
