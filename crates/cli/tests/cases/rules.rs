//! Rules on paths as people have them: links, files where a directory was expected, rules within rules.

use crate::bed::{Bed, have};

/// The target of a protected link is protected; the link's own name is not yet.
#[test]
fn enf_07_a_protected_path_that_is_a_link() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.dir("w/real");
        bed.link("real", "w/.cfg");
        bed.sbx()
            .w("$T/w")
            .p("$T/w/.cfg")
            .sh("echo started; (echo x >real/f); (echo x >.cfg/f); touch other")
            .code(0)
            .out("started\n")
            .changed(&["+w/other"]);
    }
}

/// Of what is not protected yet, coverage tells.
#[test]
fn enf_07_the_name_of_a_protected_link() {
    let bed = Bed::new();
    bed.dir("w/real");
    bed.link("real", "w/.cfg");
    let ran = bed.sbx().w("$T/w").p("$T/w/.cfg").sh("rm .cfg");
    let kept = bed.path("w/.cfg").symlink_metadata().is_ok();
    let told = ran.report["coverage"]["unenforced"].to_string();
    assert!(kept || told.contains(&bed.fill("$T/w/.cfg")), "{told}");
}

/// In a linked working tree `.git` is a file; elsewhere it is missing, leads nowhere or is a socket.
#[test]
fn enf_18_a_protected_path_whose_parent_is_no_directory() {
    let bed = Bed::new();
    bed.write("w/.git", "gitdir: /nowhere\n");
    bed.link("$T/nowhere", "w/dangling");
    bed.link("loop", "w/loop");
    let socket = std::os::unix::net::UnixListener::bind(bed.path("w/socket")).unwrap();
    for parent in [
        ".git",
        "missing",
        "missing/deeper",
        "dangling",
        "loop",
        "socket",
    ] {
        bed.sbx()
            .w("$T/w")
            .p(&format!("$T/w/{parent}/hooks"))
            .sh("echo started; touch ok; rm ok")
            .code(0)
            .out("started\n")
            .no_entry()
            .unchanged();
    }
    drop(socket);
}

/// A grant on a link is one on what it leads to, under both names; so are the other rules.
#[test]
fn enf_19_rules_on_links_hold_for_their_targets() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.dir("realtool");
        bed.link("$T/realtool", "h/.tool");
        bed.link("$T/h", "home2");
        bed.sbx()
            .w("$T/home2/.tool")
            .run(&["touch", "$T/home2/.tool/x", "$T/realtool/z"])
            .code(0)
            .no_entry()
            .changed(&["+realtool/x", "+realtool/z"]);
        bed.link("$T/hid", "w/veiled");
        for (path, target) in [
            ("$T/w/veiled/key", "$T/hid/key"),
            ("$T/hid/key", "$T/hid/key"),
        ] {
            bed.sbx()
                .w("$T/w")
                .r("$T/hid")
                .h("$T/w/veiled")
                .run(&["cat", path])
                .code(1)
                .out("")
                .record(&[&format!(
                    "cat file-lookup {target} (hidden --hide $T/w/veiled)"
                )])
                .unchanged();
        }
    }
}

/// A link on the way to a link has a name of its own.
#[test]
fn enf_19_every_name_on_a_chain_of_links() {
    chain_of_links(&Bed::new());
}

/// The same where the cage's own `/tmp` has to show the names.
#[test]
fn enf_19_every_name_on_a_chain_of_links_in_tmp() {
    chain_of_links(&Bed::in_tmp());
}

fn chain_of_links(bed: &Bed) {
    bed.dir("realtool");
    bed.link("$T/realtool", "h/.tool");
    bed.link("$T/h", "home2");
    bed.sbx()
        .w("$T/home2/.tool")
        .run(&["touch", "$T/h/.tool/y"])
        .code(0)
        .no_entry()
        .changed(&["+realtool/y"]);
}

/// The deepest rule wins, in whatever order the rules are given.
#[test]
fn enf_20_rules_within_rules() {
    let rules = [
        ("--hide", "p"),
        ("--exec", "p/proj"),
        ("--write", "p/proj/state"),
        ("--hide", "p/proj/state/priv"),
    ];
    for first in 0..rules.len() {
        for backwards in [false, true] {
            let bed = if backwards { Bed::in_tmp() } else { Bed::new() };
            bed.dir("p/proj/state/priv");
            bed.write("p/proj/state/priv/s", "s3cret\n");
            bed.write("p/secret", "s3cret\n");
            bed.write("p/proj/f", "data\n");
            let mut order = rules;
            order.rotate_left(first);
            if backwards {
                order.reverse();
            }
            let mut sbx = bed.sbx().w("$T/w");
            for (option, path) in order {
                sbx = sbx.option([option.into(), bed.path(path).into_os_string()]);
            }
            sbx.sh("cat $T/p/proj/f; touch $T/p/proj/state/ok && echo written; touch $T/p/proj/no; ls $T/p/proj/state/priv; cat $T/p/secret")
                .code(1)
                .out("data\nwritten\n")
                .record(&[
                    "ls file-read-data $T/p/proj/state/priv (hidden --hide $T/p/proj/state/priv)",
                    "cat file-lookup $T/p/secret (hidden --hide $T/p)",
                ])
                .changed(&["+p/proj/state/ok"]);
        }
    }
}

/// What may be written may be a link.
#[test]
fn enf_34_a_writable_path_that_is_a_link() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.dir("realtmp");
        bed.link("$T/realtmp", "tmp");
        bed.sbx()
            .w("$T/tmp")
            .from("tmp")
            .sh("f=$(TMPDIR=$T/tmp mktemp) && echo x >$f && rm $f && touch here")
            .code(0)
            .out("")
            .no_entry()
            .changed(&["+realtmp/here"]);
    }
}

/// A repository can be made where its hooks are to be protected.
#[test]
fn enf_66_git_init_beneath_a_protected_name() {
    if !have(&["git"]) {
        return;
    }
    let bed = Bed::new();
    let ran = bed
        .sbx()
        .w("$T/w")
        .p("$T/w/n/.git/hooks")
        .run(&["git", "init", "-q", "n"])
        .code(0)
        .no_entry();
    assert!(bed.path("w/n/.git/HEAD").exists(), "{ran:#?}");
}

/// The directory stays the one it is; what lies around it is hidden.
#[test]
fn enf_68_hiding_the_parent_of_the_working_directory() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.dir("p/a");
        bed.write("p/secret", "s3cret\n");
        bed.sbx()
            .h("$T/p")
            .w("$T/p/a")
            .from("p/a")
            .sh("pwd; touch here; ls; cat ../secret")
            .code(1)
            .out("$T/p/a\nhere\n")
            .record(&["cat file-lookup $T/p/secret (hidden --hide $T/p)"])
            .changed(&["+p/a/here"]);
    }
}

/// The home readable, one directory of it not.
#[test]
fn use_05_nothing_of_one_directory_in_a_readable_home() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.dir("h/.ssh");
        bed.write("h/.ssh/id", "s3cret\n");
        bed.write("h/.note", "note\n");
        for spelling in ["$T/h/.ssh", "$T/h/.ssh/", "$T/h/./.ssh", "$T/w/../h/.ssh"] {
            bed.sbx()
                .r("$T/h")
                .h(spelling)
                .h(spelling)
                .run(&["cat", "$T/h/.note", "$T/h/.ssh/id"])
                .code(1)
                .out("note\n")
                .record(&[&format!(
                    "cat file-lookup $T/h/.ssh/id (hidden --hide {spelling})"
                )])
                .unchanged();
        }
    }
}

/// What is no path is refused before anything starts.
#[test]
fn use_05_rules_that_are_no_paths() {
    let bed = Bed::new();
    for option in ["--read", "--write", "--exec", "--hide", "--protect"] {
        let ran = bed
            .sbx()
            .option([option, ""])
            .run(&["echo", "started"])
            .code(2)
            .out("");
        assert!(ran.err.contains(option), "{ran:#?}");
        assert_eq!(ran.err.lines().count(), 1, "{ran:#?}");
    }
}

/// Rights of all rules add up.
#[test]
fn obs_20_reading_by_one_rule_and_writing_by_another() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.sbx()
            .r("$T")
            .w("$T/w")
            .sh("exec 3<>$T/w/x && echo ok >&3 && cat $T/w/x")
            .code(0)
            .out("ok\n")
            .no_entry()
            .changed(&["+w/x"]);
    }
}
