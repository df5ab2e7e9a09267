//! Reading, listing, looking up, asking (S1, S2, V4, X3).

use rustix::io::Errno;
use whybox_record::{DeniedByKind, Kind, Operation, OrdinaryPermissions};

use super::mounted::Setup;

#[test]
fn a_denied_read_is_an_entry_with_process_path_and_rule() {
    let setup = Setup::new();
    std::fs::write(setup.path("secret"), b"12345").unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    let secret = cage.path("secret");

    let shown = cage.text("lstat", &secret).unwrap();
    assert!(shown.starts_with("100000 5 0 0 "), "{shown}");
    assert_eq!(cage.events(), [], "to be looked at is no refusal");

    assert_eq!(cage.call("open", &secret, &["0"]), Err(Errno::ACCESS));
    let event = cage.event();
    assert_eq!(event.operation, Operation::FileReadData);
    assert_eq!(event.kind, Kind::Denial);
    assert_eq!(event.target.bytes(), secret.as_os_str().as_encoded_bytes());
    assert_eq!(event.denied_by.kind, DeniedByKind::NotGranted);
    assert_eq!(event.process.pid(), cage.pid());
    assert_eq!(event.process.ppid(), std::process::id());
    assert_eq!(event.ordinary_permissions, OrdinaryPermissions::Allow);
}
