//! Options end at the first word that is none, so that the command keeps its own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::Scene;

#[test]
fn the_command_keeps_its_options() {
    let scene = Scene::new();
    let echo = r#"printf '<%s>' "$@""#;
    std::fs::write(scene.path("-x"), format!("#!/bin/sh\n{echo}\n")).unwrap();
    std::fs::set_permissions(
        scene.path("-x"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    scene
        .run(["ls", "-1", "--color=never", "main.c"])
        .assert()
        .code(0)
        .stdout("main.c\n");
    scene
        .run(["sh", "-c", echo, "sh", "-r", "--", "--net"])
        .assert()
        .stdout("<-r><--><--net>");
    scene
        .run(["--net", "all", "sh", "-c", echo, "sh", "--net", "x"])
        .assert()
        .stdout("<--net><x>");
    scene
        .run(["--env", "PATH=.:/usr/bin:/bin", "--", "-x", "--", "--help"])
        .assert()
        .stdout("<--><--help>");
}
