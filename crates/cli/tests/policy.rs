//! Policies: files, presets, what is picked up and what is shown.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fs;

use common::{Scene, text};

const POLICY: &str = "version = 1\npreset = \"minimal\"\n[files]\nexec = [\"/usr\", \"/bin\"]\nread = [\"main.c\"]\n";

/// H32: a policy in the project is a file like any other, unless the caller names it.
#[test]
fn nothing_is_picked_up_by_itself() {
    let scene = Scene::new();
    let open = format!(
        "version = 1\npreset = \"agent\"\n[files]\nread = [{:?}]\n",
        scene.outside("")
    );
    fs::create_dir(scene.path(".whybox")).unwrap();
    for name in [
        "whybox.toml",
        ".whybox.toml",
        ".whybox/policy.toml",
        "whybox.json",
    ] {
        fs::write(scene.path(name), &open).unwrap();
    }
    let key = scene.outside("key");
    scene
        .run(["cat".as_ref(), key.as_os_str()])
        .assert()
        .code(1);
    scene
        .run([
            "--policy".as_ref(),
            "whybox.toml".as_ref(),
            "cat".as_ref(),
            key.as_os_str(),
        ])
        .assert()
        .code(0)
        .stdout("secret\n");
}

/// Its own preset counts, its paths are relative to itself, and flags come on top.
#[test]
fn a_file_is_the_whole_policy() {
    let scene = Scene::new();
    fs::create_dir(scene.path("sub")).unwrap();
    fs::write(scene.path("p.toml"), POLICY).unwrap();
    let run = |arguments: &[&str]| {
        scene
            .run(["--policy", "../p.toml"])
            .args(arguments)
            .current_dir(scene.path("sub"))
            .assert()
    };
    run(&["cat", "../main.c"]).code(0).stdout("int main;\n");
    run(&["cat", "../.env"]).code(1);
    run(&["-r", "../.env", "cat", "../.env"])
        .code(0)
        .stdout("SECRET=1\n");
    run(&["--hide", "../main.c", "cat", "../main.c"]).code(1);
    run(&["-r", "..", "--hide", "../.env", "cat", "../.env"]).code(1);
}

/// An entry names the line of the file that its rule stands in (V4).
#[test]
fn the_reason_names_file_and_line() {
    let scene = Scene::new();
    fs::write(
        scene.path("p.toml"),
        "version = 1\npreset = \"agent\"\n[files]\nhide = [\n  \".env\",\n]\n",
    )
    .unwrap();
    let output = scene
        .run(["--policy", "p.toml", "cat", ".env"])
        .assert()
        .code(1)
        .get_output()
        .clone();
    assert!(
        text(&output.stderr).ends_with("(hidden by hide \".env\", p.toml:5:3)\n"),
        "{}",
        text(&output.stderr)
    );
}

/// What is shown can be used: it is a policy file that gives the same policy.
#[test]
fn show_prints_the_policy_of_a_run() {
    let scene = Scene::new();
    let arguments = [
        "--hide", ".env", "--net", "all", "--env", "A=1", "-w", "/srv/x",
    ];
    let shown = scene
        .whybox(["policy", "show"])
        .args(arguments)
        .assert()
        .code(0)
        .stderr("")
        .get_output()
        .stdout
        .clone();
    fs::write(scene.path("shown.toml"), &shown).unwrap();
    scene
        .whybox(["policy", "check", "shown.toml"])
        .assert()
        .code(0)
        .stdout("")
        .stderr("");
    let again = scene
        .whybox(["policy", "show", "--policy", "shown.toml"])
        .assert()
        .code(0)
        .get_output()
        .stdout
        .clone();
    assert_eq!(text(&shown), text(&again));
    let text = text(&shown);
    let env = format!("{:?},", scene.path(".env"));
    for part in ["\"/srv/x\",", &env, "mode = \"all\"", "A = \"1\""] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn check_says_where_a_mistake_is() {
    let scene = Scene::new();
    fs::write(scene.path("p.toml"), "version = 1\n[files]\nraed = []\n").unwrap();
    let output = scene
        .whybox(["policy", "check", "p.toml"])
        .assert()
        .code(2)
        .stdout("")
        .get_output()
        .clone();
    assert_eq!(
        text(&output.stderr),
        "whybox: p.toml:3:1: unknown key \"raed\" in [files]; did you mean \"read\"?\n"
    );
    fs::write(scene.path("p.toml"), POLICY).unwrap();
    scene
        .whybox(["policy", "check", "p.toml"])
        .assert()
        .code(0)
        .stdout("")
        .stderr("");
}

/// X10.
#[test]
fn policies_are_as_the_schema_says() {
    let scene = Scene::new();
    let schema = scene
        .whybox(["policy", "schema"])
        .assert()
        .code(0)
        .get_output()
        .stdout
        .clone();
    let schema: serde_json::Value = serde_json::from_slice(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    scene.run(["--report", "r.json", "true"]).assert().code(0);
    let policy = &scene.report("r.json")["run"]["policy"];
    assert!(validator.is_valid(policy), "{policy}");
    assert!(!validator.is_valid(&serde_json::json!({"version": 1, "raed": []})));
}
