//! Changes: each is refused as what it is.

use rustix::io::Errno;
use whybox_record::{Kind, Operation};

use super::mounted::Setup;

#[test]
fn every_change_is_refused_under_its_name() {
    let setup = Setup::new();
    std::fs::write(setup.path("file"), b"").unwrap();
    std::fs::create_dir(setup.path("directory")).unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    let new = cage.path("new").into_os_string().into_string().unwrap();
    // O_CREAT | O_WRONLY; O_TMPFILE | O_WRONLY
    let calls: [(&str, &str, &[&str], Operation); 16] = [
        ("open", "new", &["65"], Operation::FileWriteCreate),
        (
            "open",
            "directory",
            &["4259841"],
            Operation::FileWriteCreate,
        ),
        ("mkdir", "new", &[], Operation::FileWriteCreate),
        ("mkfifo", "new", &[], Operation::FileWriteCreate),
        ("symlink", "new", &["text"], Operation::FileWriteCreate),
        ("link", "file", &[&new], Operation::FileLink),
        ("rename", "file", &[&new], Operation::FileWriteUnlink),
        ("unlink", "file", &[], Operation::FileWriteUnlink),
        ("rmdir", "directory", &[], Operation::FileWriteUnlink),
        ("chmod", "file", &[], Operation::FileWriteMode),
        ("chown", "file", &["0"], Operation::FileWriteOwner),
        ("truncate", "file", &[], Operation::FileWriteData),
        ("touch", "file", &[], Operation::FileWriteTimes),
        ("setxattr", "file", &[], Operation::FileWriteXattr),
        ("removexattr", "file", &[], Operation::FileWriteXattr),
        ("open", "file", &["65"], Operation::FileWriteData),
    ];
    for (call, name, more, operation) in calls {
        let path = cage.path(name);
        assert_eq!(
            cage.call(call, &path, more),
            Err(Errno::ACCESS),
            "{call} {name}"
        );
        let event = cage.event();
        assert_eq!(
            (event.operation, event.kind),
            (operation, Kind::Denial),
            "{call}"
        );
        assert_eq!(
            event.target.bytes(),
            path.as_os_str().as_encoded_bytes(),
            "{call}"
        );
        let other = event.other_target.as_ref().map(|other| other.bytes());
        let two_names = matches!(call, "link" | "rename");
        assert_eq!(other, two_names.then_some(new.as_bytes()), "{call}");
    }
    assert!(!std::fs::exists(new).unwrap());
    // The control: what exists already, or does not, is said without an entry.
    assert_eq!(
        cage.text("mkdir", cage.path("directory")),
        Err(Errno::EXIST)
    );
    assert_eq!(cage.text("unlink", cage.path("missing")), Err(Errno::NOENT));
    assert_eq!(cage.events(), []);
}
