//! Mount points and what is above them stay, whatever the host does.

use rustix::io::Errno;

use super::super::NodeKind;
use super::mounted::Setup;

const GRANT: &str = r#"mount --bind "$1/tree/grant" "$1/.mount/ghost$1/tree/grant" || exit 9"#;

#[test]
fn a_grant_stays_when_its_directory_is_renamed_on_the_host() {
    let mut setup = Setup::new();
    std::fs::create_dir_all(setup.path("tree/grant")).unwrap();
    std::fs::write(setup.path("tree/grant/file"), b"1").unwrap();
    setup
        .fixed
        .push((setup.path("tree/grant"), NodeKind::Directory));
    setup.prepare = GRANT;
    let Some(mut cage) = setup.mount(|rules| rules.read("tree/grant")) else {
        return;
    };
    let file = cage.path("tree/grant/file");
    assert_eq!(cage.call("open", &file, &["0"]), Ok(Vec::new()));
    let before = cage.text("stat", cage.path("tree")).unwrap();
    assert!(before.starts_with("40111 "), "{before}");

    std::fs::rename(cage.path("tree"), cage.path("moved")).unwrap();
    assert_eq!(cage.call("open", &file, &["0"]), Ok(Vec::new()));
    std::fs::write(cage.path("tree"), b"a file by now").unwrap();
    // To make a directory makes the kernel ask for the name once more.
    assert_eq!(cage.text("mkdir", cage.path("tree")), Err(Errno::EXIST));
    assert!(
        cage.text("stat", cage.path("tree"))
            .unwrap()
            .starts_with("40111 ")
    );
    assert_eq!(cage.call("open", &file, &["0"]), Ok(Vec::new()));
    assert_eq!(cage.events(), []);
    // The control: beside the grant nothing is granted.
    assert_eq!(
        cage.call("open", cage.path("moved/grant/file"), &["0"]),
        Err(Errno::ACCESS)
    );
    assert_eq!(cage.events().len(), 1);
}

#[test]
fn above_a_grant_a_directory_is_walked_over_and_not_listed() {
    let mut setup = Setup::new();
    std::fs::create_dir_all(setup.path("tree/grant")).unwrap();
    setup
        .fixed
        .push((setup.path("tree/grant"), NodeKind::Directory));
    setup.prepare = GRANT;
    let Some(mut cage) = setup.mount(|rules| rules.read("tree/grant")) else {
        return;
    };
    assert_eq!(cage.text("chdir", cage.path("tree")), Ok(String::new()));
    assert_eq!(
        cage.text("list", cage.path("tree/grant")).as_deref(),
        Ok(". ..")
    );
    assert_eq!(cage.events(), []);
    assert_eq!(cage.text("list", cage.path("tree")), Err(Errno::ACCESS));
    assert_eq!(cage.events().len(), 1);
}
