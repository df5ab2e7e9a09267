//! What a person reads.

use crate::bed::Bed;

/// One line for each refusal: who, what, which, by which rule.
#[test]
fn use_02_one_line_for_each_refusal() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        let ran = bed
            .sbx()
            .w("$T/w")
            .h("$T/hid")
            .sh("cat $T/hid/key; cat $T/hid/key $T/hid/key")
            .code(1)
            .out("")
            .unchanged();
        let told: Vec<&str> = ran
            .err
            .lines()
            .filter(|line| !line.starts_with("cat: "))
            .collect();
        assert_eq!(told[0], "whybox: 2 operations were refused", "{ran:#?}");
        let line = |at: usize| {
            let entry = &ran.report["violations"][at];
            let pid = entry["process"]["pid"].as_u64().unwrap();
            bed.fill(&format!(
                "  cat[{pid}] refused file-lookup $T/hid/key (hidden by --hide $T/hid)"
            ))
        };
        assert_eq!(told[1..], [line(0), line(1) + ", 2 times"], "{ran:#?}");
    }
}

/// A rule from a file is told with its place.
#[test]
fn use_02_the_place_of_a_rule() {
    let bed = Bed::new();
    bed.write(
        "policy.toml",
        &bed.fill("version = 1\n[files]\nexec = [\"/usr\", \"/bin\", \"/lib\", \"/lib64\", \"/etc\"]\nhide = [\n  \"$T/hid\",\n]\n"),
    );
    let ran = bed
        .with_policy(&bed.path("policy.toml"))
        .run(&["cat", "$T/hid/key"])
        .code(1)
        .out("")
        .unchanged();
    assert!(ran.err.contains(&bed.fill("$T/policy.toml:5")), "{ran:#?}");
}

/// Nothing is told of a run in which nothing was refused.
#[test]
fn use_04_a_quiet_success() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        for preset in ["none", "agent", "build", "readonly"] {
            let sbx = match preset {
                "none" => bed.sbx().w("$T/w"),
                preset => bed.sbx_of(preset),
            };
            let ran = sbx.run(&["true"]).code(0).out("").no_entry().unchanged();
            assert_eq!(ran.err, "");
        }
    }
}

/// What was looked for in a hidden home and is there is told; what is nowhere is marked as such.
#[test]
fn use_10_which_of_the_names_exist() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.write("h/.toolrc", "cfg\n");
        let ran = bed
            .sbx()
            .w("$T/w")
            .h("$T/h")
            .sh("cat $HOME/.toolrc $HOME/.other")
            .code(1)
            .out("")
            .record(&[
                "cat file-lookup $T/h/.toolrc (hidden --hide $T/h)",
                "cat file-lookup $T/h/.other (hidden --hide $T/h)",
            ])
            .unchanged();
        let entries = &ran.report["violations"];
        assert_eq!(entries[0]["exists"], true);
        assert_eq!(entries[1]["exists"], false);
    }
}

/// Ended from outside, the run still has its report.
#[test]
fn use_11_a_report_of_an_interrupted_run() {
    for signal in ["INT", "TERM", "HUP"] {
        let bed = Bed::new();
        let script = "\"$@\" & read line <fifo; kill -SIG $!; wait $!".replace("SIG", signal);
        let fifo = std::process::Command::new("mkfifo")
            .arg(bed.path("w/fifo"))
            .status()
            .unwrap();
        assert!(fifo.success());
        // A background job of a plain shell ignores SIGINT; `env` undoes that.
        let ran = bed.sbx().w("$T/w").h("$T/hid").run_by(
            &["sh", "-c", &script, "sh", "env", "--default-signal"],
            &["sh", "-c", "cat $T/hid/key; echo >fifo; exec sleep 600"],
        );
        let number = ran.report["run"]["exit"]["signal"].as_i64();
        let expected = [("INT", 2), ("TERM", 15), ("HUP", 1)];
        let expected = expected.iter().find(|(name, _)| *name == signal);
        assert_eq!(number, expected.map(|(_, number)| *number), "{ran:#?}");
        ran.out("")
            .record(&["cat file-lookup $T/hid/key (hidden --hide $T/hid)"])
            .unchanged();
    }
}

/// A rule of a preset that is not enforced is told with the path that it is about.
#[test]
fn use_02_which_rule_of_a_preset() {
    let bed = Bed::new();
    let ran = bed.sbx_of("agent").run(&["true"]).code(0);
    let unenforced = ran.report["coverage"]["unenforced"].as_array().unwrap();
    let mut told: Vec<String> = unenforced.iter().map(ToString::to_string).collect();
    let all = told.len();
    told.sort();
    told.dedup();
    assert_eq!(told.len(), all, "{told:?}");
}
