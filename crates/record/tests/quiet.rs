//! The quiet list (V6).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashSet;

use proptest::prelude::*;
use whybox_record::{Class, Operation, quiet};

/// The only places that an item may name a whole subtree of: what the kernel, or a
/// package of the system, put there.
const SUBTREES: &[&str] = &[
    "/sys/fs/cgroup",
    "/sys/fs/selinux",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/kernel/mm/transparent_hugepage",
    "/sys/kernel/mm/hugepages",
    "/sys/kernel/security/apparmor",
    "/usr/lib/locale",
    "/usr/share/locale",
    "/usr/share/locale-langpack",
    "/usr/share/zoneinfo",
    "/etc/terminfo",
    "/lib/terminfo",
    "/usr/lib/terminfo",
    "/usr/share/terminfo",
];

/// Where users keep files.
const USERS: &[&str] = &[
    "/home/u",
    "/root",
    "/Users/u",
    "/var/home/u",
    "/tmp",
    "/var/tmp",
    "/work",
    "/srv",
    "/mnt/d",
    "/media/u",
    "/opt/project",
    "/usr/src/project",
    "/usr/local/src/project",
    "/workspace",
    "/var/lib/jenkins",
    "/run/user/1000",
    "/data",
    "/nix/store/x",
];

#[test]
fn items_are_well_formed() {
    let mut ids = HashSet::new();
    assert!(quiet::VERSION > 0 && !quiet::ITEMS.is_empty());
    for item in quiet::ITEMS {
        assert!(ids.insert(item.id), "{}", item.id);
        assert!(
            !item.program.is_empty() && !item.why.is_empty(),
            "{}",
            item.id
        );
        assert!(
            !item.operations.is_empty() && !item.paths.is_empty(),
            "{}",
            item.id
        );
        for path in item.paths {
            let plain = path.strip_suffix("/**").unwrap_or(path);
            assert!(plain.starts_with('/') && !plain.ends_with('/'), "{path}");
            assert!(!plain.contains(['*', '?', '~', '$']), "{path}");
            assert!(!plain.contains("//") && !plain.contains("/.."), "{path}");
            if plain.len() < path.len() {
                assert!(SUBTREES.contains(&plain), "{path}");
            }
        }
    }
}

/// Nothing that changes something is silenced, nor anything but reading and connecting.
#[test]
fn only_reads_and_connects_are_silenced() {
    for item in quiet::ITEMS {
        for operation in item.operations {
            assert!(
                matches!(operation.class(), Class::FileRead | Class::Network)
                    && *operation != Operation::NetworkBind,
                "{}: {operation}",
                item.id
            );
        }
    }
}

/// What decides whether programs work, or what people keep secret, is never silenced.
#[test]
fn what_matters_is_not_silenced() {
    for path in [
        "/etc/passwd",
        "/etc/shadow",
        "/etc/group",
        "/etc/hosts",
        "/etc/resolv.conf",
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/ld.so.cache",
        "/usr",
        "/usr/share",
        "/usr/bin/env",
        "/etc",
        "/sys",
        "/",
        "",
        "/run/docker.sock",
        "/sys/fs/cgroupx",
        "/sys/fs/cgroup/../../../home/u/.env",
        "/usr/share/locale/..",
        "sys/fs/cgroup",
    ] {
        for operation in Operation::ALL {
            assert_eq!(quiet::find(*operation, path.as_bytes()), None, "{path}");
        }
    }
}

#[test]
fn items_silence_what_they_name() {
    for item in quiet::ITEMS {
        for path in item.paths {
            for operation in item.operations {
                let plain = path.strip_suffix("/**").unwrap_or(path);
                assert_eq!(
                    quiet::find(*operation, plain.as_bytes()),
                    Some(item),
                    "{path}"
                );
                let beneath = format!("{plain}/x");
                let found = quiet::find(*operation, beneath.as_bytes()).is_some();
                assert_eq!(found, path.ends_with("/**"), "{beneath}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// V6: nothing beneath a home or a project is silenced, whatever it is called.
    #[test]
    fn no_user_file_is_silenced(
        user in proptest::sample::select(USERS),
        item in proptest::sample::select(quiet::ITEMS),
        pick in any::<prop::sample::Index>(),
        name in "[a-z./*]{0,8}",
        operation in proptest::sample::select(Operation::ALL),
    ) {
        let listed = pick.get(item.paths);
        for path in [
            format!("{user}/{name}"),
            format!("{user}{listed}"),
            format!("{user}/{name}{listed}"),
            user.to_string(),
        ] {
            prop_assert_eq!(quiet::find(operation, path.as_bytes()), None, "{}", path);
        }
    }

    #[test]
    fn any_bytes_can_be_asked_about(path in proptest::collection::vec(any::<u8>(), 0..64)) {
        for operation in Operation::ALL {
            prop_assert!(quiet::find(*operation, &path).is_none());
        }
    }
}
