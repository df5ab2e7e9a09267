//! The file system as a whole: what it says of itself, whose it may be, and
//! how it ends.

use rustix::io::Errno;
use whybox_record::Operation;

use super::mounted::Setup;

#[test]
fn a_file_system_that_is_asked_about_itself_answers() {
    let setup = Setup::new();
    std::fs::write(setup.path("file"), b"").unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    assert_eq!(cage.text("statfs", cage.path("")).as_deref(), Ok("1 4096"));
    assert_eq!(cage.text("getxattr", cage.path("file")), Err(Errno::NODATA));
    assert_eq!(cage.text("listxattr", cage.path("file")).as_deref(), Ok(""));
    assert_eq!(cage.events(), []);
}

#[test]
fn the_same_in_a_user_namespace() {
    let mut setup = Setup::new();
    setup.user_namespace = true;
    std::fs::write(setup.path("secret"), b"12345").unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    assert_eq!(
        cage.call("open", cage.path("secret"), &["0"]),
        Err(Errno::ACCESS)
    );
    let event = cage.event();
    assert_eq!(
        (event.operation, event.process.pid()),
        (Operation::FileReadData, cage.pid())
    );
}

#[test]
fn an_aborted_ghost_releases_who_asks() {
    let setup = Setup::new();
    std::fs::write(setup.path("file"), b"").unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    assert!(cage.text("stat", cage.path("file")).is_ok());
    cage.ghost.abort();
    let after = cage.text("stat", cage.path("file"));
    assert!(
        matches!(after, Err(Errno::NOTCONN | Errno::CONNABORTED)),
        "{after:?}"
    );
}
