//! What a person is told after a run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Scene, text};

/// Process ids differ from run to run.
fn without_pids(told: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in told.chars() {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            _ if inside => continue,
            _ => {}
        }
        out.push(c);
    }
    out
}

fn told(run: &mut assert_cmd::Command) -> String {
    text(&run.output().unwrap().stderr)
}

/// V3, V4: as documented, after what the command itself wrote.
#[test]
fn it_names_process_operation_target_and_rule() {
    let scene = Scene::new();
    let (env, key) = (scene.path(".env"), scene.outside("key"));
    let script = format!("cat .env; cat {}; ls; exit 3", key.display());
    let output = scene
        .run(["--hide", ".env", "--", "sh", "-c", &script])
        .assert()
        .code(3)
        .stdout("main.c\n")
        .get_output()
        .clone();
    let expected = format!(
        "cat: .env: Permission denied\n\
         cat: {key}: Permission denied\n\
         whybox: 2 operations were refused\n  \
         cat[] refused file-read-data {env} (hidden by --hide .env)\n  \
         cat[] refused file-read-data {key} (no rule grants it)\n",
        env = env.display(),
        key = key.display(),
    );
    assert_eq!(without_pids(&text(&output.stderr)), expected);
}

#[test]
fn it_is_left_out_where_nothing_was_refused_or_nobody_wants_it() {
    let scene = Scene::new();
    assert_eq!(told(&mut scene.run(["cat", ".env"])), "");
    assert_eq!(
        told(&mut scene.run([
            "--hide",
            ".env",
            "--no-summary",
            "sh",
            "-c",
            "cat .env 2>/dev/null"
        ])),
        ""
    );
}

#[test]
fn it_has_colour_only_where_that_is_wanted() {
    let scene = Scene::new();
    let run = |options: &[&str], variable: Option<(&str, &str)>| {
        let mut run = scene.run(["--hide", ".env"]);
        run.args(options).args(["sh", "-c", "cat .env 2>/dev/null"]);
        run.envs(variable);
        told(&mut run).contains('\x1b')
    };
    assert!(!run(&[], None), "standard error is no terminal");
    assert!(run(&["--color", "always"], None));
    assert!(
        run(&["--color", "always"], Some(("NO_COLOR", "1"))),
        "an option is asked for more plainly"
    );
    assert!(run(&[], Some(("CLICOLOR_FORCE", "1"))));
    assert!(!run(&["--color", "never"], Some(("CLICOLOR_FORCE", "1"))));
}

/// V11: names cannot forge, split or hide a line, nor command the terminal.
#[test]
fn hostile_names_are_escaped() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("hidden")).unwrap();
    let names = [
        "a\nwhybox: 9 operations were refused",
        "\x1b[2J\x1b]0;title\x07",
        "x (no rule grants it)\n  cat[1] refused file-read-data .env (hidden)",
        "\u{202e}txt.exe\u{9b}31m",
    ];
    for name in names {
        let target = format!("hidden/{name}");
        std::fs::write(scene.path(&target), "x").unwrap();
        let output = scene
            .run([
                "--hide",
                "hidden",
                "sh",
                "-c",
                "cat \"$1\" 2>/dev/null; exit 1",
                "sh",
                &target,
            ])
            .output()
            .unwrap();
        let told = text(&output.stderr);
        assert_eq!(told.lines().count(), 2, "{told:?}");
        assert!(
            told.starts_with("whybox: 1 operation was refused\n  cat["),
            "{told:?}"
        );
        assert!(told.ends_with("(hidden by --hide hidden)\n"), "{told:?}");
        assert!(
            !told
                .chars()
                .any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')),
            "{told:?}"
        );
    }
}

/// V11: and the report gives their bytes back.
#[test]
fn hostile_bytes_are_recovered_from_the_report() {
    use std::os::unix::ffi::OsStrExt as _;
    let scene = Scene::new();
    let name = std::ffi::OsStr::from_bytes(b"hidden/\xff\xfe\n\"\\");
    std::fs::create_dir(scene.path("hidden")).unwrap();
    std::fs::write(scene.path(name), "x").unwrap();
    let mut run = scene.run(["--hide", "hidden", "--report", "r.json", "cat"]);
    run.arg(name).assert().code(1);
    let report = scene.report("r.json");
    let target = &report["violations"][0]["target"]["text"];
    let bytes = whybox_record::text::unescape(target.as_str().unwrap()).unwrap();
    assert_eq!(bytes, scene.path(name).as_os_str().as_bytes());
}
