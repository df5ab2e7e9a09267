//! Reading, listing, looking up, asking (S1, S2, V4, X3).

use std::os::unix::fs::{PermissionsExt, symlink};

use rustix::io::Errno;
use whybox_record::{DeniedByKind, Event, Kind, Operation, OrdinaryPermissions};

use super::mounted::Setup;

/// What a test says of an event.
fn said(event: &Event) -> (Operation, Kind, DeniedByKind, Errno) {
    let errno = Errno::from_raw_os_error(event.errno.raw());
    (event.operation, event.kind, event.denied_by.kind, errno)
}

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

    for call in ["open", "thread:open"] {
        assert_eq!(cage.call(call, &secret, &["0"]), Err(Errno::ACCESS));
        let event = cage.event();
        let expected = (
            Operation::FileReadData,
            Kind::Denial,
            DeniedByKind::NotGranted,
            Errno::ACCESS,
        );
        assert_eq!(said(&event), expected);
        assert_eq!(event.target.bytes(), secret.as_os_str().as_encoded_bytes());
        assert_eq!(event.process.pid(), cage.pid());
        assert_eq!(event.process.ppid(), std::process::id());
        assert_eq!(event.ordinary_permissions, OrdinaryPermissions::Allow);
        assert!(event.exact);
    }
}

#[test]
fn opening_is_told_apart_by_what_it_is_for() {
    let setup = Setup::new();
    std::fs::write(setup.path("file"), b"").unwrap();
    std::fs::create_dir(setup.path("directory")).unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    let (file, directory) = (cage.path("file"), cage.path("directory"));
    // O_RDONLY, O_WRONLY, O_RDWR, O_TRUNC | O_RDONLY, O_APPEND | O_WRONLY
    let flags = [
        ("0", Operation::FileReadData),
        ("1", Operation::FileWriteData),
        ("2", Operation::FileWriteData),
        ("512", Operation::FileWriteData),
        ("1025", Operation::FileWriteData),
    ];
    for (flags, operation) in flags {
        assert_eq!(
            cage.call("open", &file, &[flags]),
            Err(Errno::ACCESS),
            "{flags}"
        );
        assert_eq!(cage.event().operation, operation, "{flags}");
    }
    assert_eq!(cage.text("list", &directory), Err(Errno::ACCESS));
    assert_eq!(cage.event().operation, Operation::FileReadData);
    // O_PATH asks for nothing that could be refused.
    assert_eq!(cage.call("open", &file, &["2097152"]), Ok(Vec::new()));
    assert_eq!(cage.events(), []);
}

#[test]
fn what_the_host_says_itself_is_no_entry() {
    let setup = Setup::new();
    std::fs::write(setup.path("file"), b"").unwrap();
    symlink("loop", setup.path("loop")).unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    let long = "n".repeat(256);
    for (name, errno) in [
        ("missing", Errno::NOENT),
        ("missing/deeper", Errno::NOENT),
        ("file/beneath", Errno::NOTDIR),
        ("loop", Errno::LOOP),
        (&long, Errno::NAMETOOLONG),
    ] {
        let path = cage.path(name);
        assert_eq!(cage.text("stat", &path), Err(errno), "{name}");
        assert_eq!(cage.call("open", &path, &["0"]), Err(errno), "{name}");
        assert_eq!(cage.events(), [], "{name}");
    }
}

#[test]
fn what_is_not_granted_is_shown_as_it_is_without_permissions() {
    let setup = Setup::new();
    std::fs::write(setup.path("file"), b"123").unwrap();
    std::fs::set_permissions(setup.path("file"), PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::create_dir(setup.path("directory")).unwrap();
    symlink("file", setup.path("link")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        setup.path("pipe"),
        rustix::fs::FileType::Fifo,
        0o666.into(),
        0,
    )
    .unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    for (name, shown) in [
        ("file", "100000 3 "),
        ("directory", "40111 "),
        ("link", "120777 4 "),
        ("pipe", "100000 0 "),
    ] {
        let text = cage.text("lstat", cage.path(name)).unwrap();
        assert!(text.starts_with(shown), "{name}: {text}");
    }
    assert_eq!(
        cage.text("readlink", cage.path("link")).as_deref(),
        Ok("file")
    );
    assert_eq!(cage.events(), []);
    // Opened through the link, the file is the target; a pipe does not hang.
    for (name, target) in [("link", "file"), ("pipe", "pipe")] {
        assert_eq!(
            cage.call("open", cage.path(name), &["0"]),
            Err(Errno::ACCESS)
        );
        assert_eq!(
            cage.event().target.bytes(),
            cage.path(target).as_os_str().as_encoded_bytes()
        );
    }
}

#[test]
fn a_name_that_changes_its_kind_is_followed() {
    let setup = Setup::new();
    std::fs::write(setup.path("thing"), b"1").unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    let thing = cage.path("thing");
    assert!(cage.text("stat", &thing).unwrap().starts_with("100000 1 "));
    std::fs::remove_file(&thing).unwrap();
    assert_eq!(cage.text("stat", &thing), Err(Errno::NOENT));
    std::fs::create_dir(&thing).unwrap();
    assert!(cage.text("stat", &thing).unwrap().starts_with("40111 "));
    assert_eq!(cage.text("list", &thing), Err(Errno::ACCESS));
    assert_eq!(cage.events().len(), 1);
}

#[test]
fn a_hidden_file_shows_its_kind_and_nothing_else() {
    let setup = Setup::new();
    std::fs::write(setup.path(".env"), b"KEY=1").unwrap();
    symlink(".env", setup.path("link.env")).unwrap();
    let Some(mut cage) = setup.mount(|rules| rules.hide(".env").hide("*.env")) else {
        return;
    };
    for name in [".env", "link.env"] {
        let text = cage.text("lstat", cage.path(name)).unwrap();
        assert!(text.starts_with("100000 0 0 0 0 "), "{name}: {text}");
    }
    assert_eq!(
        cage.text("readlink", cage.path("link.env")),
        Err(Errno::INVAL)
    );
    assert_eq!(cage.events(), []);
    assert_eq!(
        cage.call("open", cage.path(".env"), &["0"]),
        Err(Errno::ACCESS)
    );
    let event = cage.event();
    assert_eq!(
        said(&event),
        (
            Operation::FileReadData,
            Kind::Denial,
            DeniedByKind::Hidden,
            Errno::ACCESS
        )
    );
    assert_eq!(event.denied_by.rule.as_deref(), Some("hide \".env\""));
}

#[test]
fn beneath_a_hidden_directory_every_name_is_refused_alike() {
    let setup = Setup::new();
    std::fs::create_dir(setup.path("keys")).unwrap();
    std::fs::write(setup.path("keys/id"), b"").unwrap();
    let Some(mut cage) = setup.mount(|rules| rules.hide("keys")) else {
        return;
    };
    assert!(
        cage.text("stat", cage.path("keys"))
            .unwrap()
            .starts_with("40000 0 0 0 0 ")
    );
    assert_eq!(cage.events(), []);
    for (name, exists) in [
        ("keys/id", true),
        ("keys/other", false),
        ("keys/id/deeper", true),
    ] {
        for call in ["stat", "readlink"] {
            assert_eq!(
                cage.text(call, cage.path(name)),
                Err(Errno::ACCESS),
                "{name}"
            );
            let event = cage.event();
            assert_eq!(
                said(&event),
                (
                    Operation::FileLookup,
                    Kind::Denial,
                    DeniedByKind::Hidden,
                    Errno::ACCESS
                )
            );
            assert_eq!(event.exists, Some(exists), "{name}");
        }
    }
    assert_eq!(cage.text("list", cage.path("keys")), Err(Errno::ACCESS));
    assert_eq!(cage.event().operation, Operation::FileReadData);
    assert_eq!(cage.text("chdir", cage.path("keys")), Err(Errno::ACCESS));
    assert_eq!(cage.event().kind, Kind::AccessCheck);
}

#[test]
fn an_absent_name_is_an_entry_only_if_the_host_has_it() {
    let setup = Setup::new();
    std::fs::write(setup.path("rc"), b"").unwrap();
    let Some(mut cage) = setup.mount(|rules| rules.absent("rc").absent("missing")) else {
        return;
    };
    assert_eq!(cage.text("stat", cage.path("missing")), Err(Errno::NOENT));
    assert_eq!(cage.events(), []);
    assert_eq!(cage.text("stat", cage.path("rc")), Err(Errno::NOENT));
    let event = cage.event();
    assert_eq!(
        said(&event),
        (
            Operation::FileLookup,
            Kind::Absent,
            DeniedByKind::Absent,
            Errno::NOENT
        )
    );
}

#[test]
fn what_is_granted_but_came_later_is_refused_and_says_so() {
    let setup = Setup::new();
    let Some(mut cage) = setup.mount(|rules| rules.read("later")) else {
        return;
    };
    let later = cage.path("later");
    assert_eq!(cage.call("open", &later, &["0"]), Err(Errno::NOENT));
    assert_eq!(cage.events(), []);
    std::fs::write(&later, b"").unwrap();
    assert_eq!(cage.call("open", &later, &["0"]), Err(Errno::ACCESS));
    let event = cage.event();
    assert_eq!(event.denied_by.kind, DeniedByKind::Stale);
    assert_eq!(
        event.denied_by.to_string(),
        "granted by read \"later\", but it appeared after the start"
    );
    assert_eq!(cage.call("open", &later, &["1"]), Err(Errno::ACCESS));
    assert_eq!(cage.event().denied_by.kind, DeniedByKind::ReadOnly);
}

#[test]
fn asking_is_an_access_check_of_its_own() {
    let setup = Setup::new();
    std::fs::write(setup.path("file"), b"").unwrap();
    std::fs::create_dir(setup.path("directory")).unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    let (file, directory) = (cage.path("file"), cage.path("directory"));
    for (path, mask, operation) in [
        (&file, "4", Operation::FileReadData),
        (&file, "2", Operation::FileWriteData),
        (&file, "1", Operation::ProcessExec),
        (&file, "6", Operation::FileWriteData),
        (&directory, "4", Operation::FileReadData),
        (&directory, "5", Operation::FileReadData),
    ] {
        assert_eq!(
            cage.call("access", path, &[mask]),
            Err(Errno::ACCESS),
            "{mask}"
        );
        let event = cage.event();
        assert_eq!(
            (event.operation, event.kind),
            (operation, Kind::AccessCheck),
            "{mask}"
        );
    }
    // That it is there, and that a directory can be walked over, holds.
    assert_eq!(cage.call("access", &file, &["0"]), Ok(Vec::new()));
    assert_eq!(cage.call("access", &directory, &["1"]), Ok(Vec::new()));
    assert_eq!(cage.text("chdir", &directory), Ok(String::new()));
    assert_eq!(cage.events(), []);
}

#[test]
fn hostile_names_arrive_byte_by_byte() {
    use std::os::unix::ffi::OsStrExt;
    let setup = Setup::new();
    let names: [&[u8]; 4] = [b"new\nline", b"\x1b[2J", b"\xff\xfe", b"cat[1] refused (x)"];
    for name in names {
        std::fs::write(
            setup.host.path().join(std::ffi::OsStr::from_bytes(name)),
            b"",
        )
        .unwrap();
    }
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    for name in names {
        let path = cage.host.path().join(std::ffi::OsStr::from_bytes(name));
        assert_eq!(cage.call("open", &path, &["0"]), Err(Errno::ACCESS));
        assert_eq!(cage.event().target.bytes(), path.as_os_str().as_bytes());
    }
}

#[test]
fn a_probe_that_every_program_makes_is_refused_quietly() {
    let probe = "/sys/devices/system/cpu/online";
    for quiet in [true, false] {
        let mut setup = Setup::new();
        setup.quiet = quiet;
        std::fs::write(setup.path("file"), b"").unwrap();
        let Some(mut cage) = setup.mount(|rules| rules) else {
            return;
        };
        assert_eq!(cage.call("open", probe, &["0"]), Err(Errno::ACCESS));
        assert_eq!(cage.events().len(), usize::from(!quiet));
        // The control: a file of the user's is no probe.
        assert_eq!(
            cage.call("open", cage.path("file"), &["0"]),
            Err(Errno::ACCESS)
        );
        assert_eq!(cage.events().len(), 1);
    }
}
