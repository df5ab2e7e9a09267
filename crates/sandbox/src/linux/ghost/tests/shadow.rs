//! The cage's own directory over the ghost's: an overlay on a shadow.

use std::path::Path;

use rustix::io::Errno;
use whybox_record::{DeniedByKind, Kind, Operation, OrdinaryPermissions};

use super::super::NodeKind;
use super::mounted::{Mounted, Setup};

/// A cage whose own `/tmp` lies over the host's. On the host there are, in a
/// directory of this test's own: `granted`, `hidden/name`, `other`.
fn own_tmp(lower: &'static str) -> Option<(tempfile::TempDir, Mounted)> {
    let tmp = tempfile::tempdir_in("/tmp").unwrap();
    for directory in ["granted", "hidden"] {
        std::fs::create_dir(tmp.path().join(directory)).unwrap();
    }
    for file in ["granted/file", "hidden/name", "other"] {
        std::fs::write(tmp.path().join(file), b"1").unwrap();
    }
    let mut setup = Setup::new();
    setup.shadow.push("/tmp".into());
    setup
        .fixed
        .push((tmp.path().join("granted"), NodeKind::Directory));
    setup.prepare = lower;
    let (granted, hidden) = (tmp.path().join("granted"), tmp.path().join("hidden"));
    let cage = setup.mount(|rules| rules.read(granted).hide(hidden))?;
    Some((tmp, cage))
}

const OVERLAY: &str = r#"mkdir "$1/.mount/upper" "$1/.mount/work"
mount -t overlay -o "userxattr,lowerdir=$1/.mount/ghost/tmp,upperdir=$1/.mount/upper,workdir=$1/.mount/work" none "$1/.mount/ghost/tmp" || exit 9"#;

fn is_shadowed(cage: &mut Mounted, path: &Path) {
    assert_eq!(cage.text("stat", path), Err(Errno::NOENT));
    let event = cage.event();
    assert_eq!(
        (event.operation, event.kind),
        (Operation::FileLookup, Kind::Shadowed)
    );
    assert_eq!(event.denied_by.kind, DeniedByKind::OwnTmp);
    assert_eq!(event.ordinary_permissions, OrdinaryPermissions::Allow);
    assert_eq!(event.target.bytes(), path.as_os_str().as_encoded_bytes());
}

#[test]
fn a_shadow_has_only_what_leads_to_grants() {
    let Some((tmp, mut cage)) = own_tmp("") else {
        return;
    };
    is_shadowed(&mut cage, Path::new(&tmp.path().join("other")));
    assert_eq!(
        cage.text("stat", tmp.path().join("missing")),
        Err(Errno::NOENT)
    );
    assert_eq!(cage.events(), []);
    let name = tmp.path().file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(cage.text("list", "/tmp"), Ok(format!(". .. {name}")));
    assert_eq!(cage.text("list", tmp.path()).as_deref(), Ok(". .. granted"));
    assert!(cage.text("stat", "/tmp").unwrap().starts_with("41777 "));
    assert!(cage.text("stat", tmp.path()).unwrap().starts_with("40755 "));
    assert_eq!(cage.events(), []);
    // The control: elsewhere the same is refused.
    assert_eq!(cage.text("list", "/var"), Err(Errno::ACCESS));
    assert_eq!(cage.events().len(), 1);
}

#[test]
fn an_overlay_on_a_shadow_is_an_own_directory() {
    let Some((tmp, mut cage)) = own_tmp(OVERLAY) else {
        return;
    };
    is_shadowed(&mut cage, &tmp.path().join("other"));
    // The name is free to be made, and then it is the cage's.
    assert_eq!(
        cage.call("open", tmp.path().join("other"), &["65"]),
        Ok(Vec::new())
    );
    assert_eq!(
        cage.call("open", tmp.path().join("new"), &["65"]),
        Ok(Vec::new())
    );
    assert_eq!(cage.text("mkdir", "/tmp/made"), Ok(String::new()));
    assert_eq!(
        cage.text("list", tmp.path()).as_deref(),
        Ok(". .. granted new other")
    );
    assert_eq!(cage.events(), []);
    assert_eq!(std::fs::read(tmp.path().join("other")).unwrap(), b"1");
    assert!(!tmp.path().join("new").exists());
}

#[test]
fn what_is_hidden_beneath_an_own_directory_stays_hidden() {
    for lower in ["", OVERLAY] {
        let Some((tmp, mut cage)) = own_tmp(lower) else {
            return;
        };
        assert_eq!(
            cage.text("stat", tmp.path().join("hidden/name")),
            Err(Errno::ACCESS)
        );
        let event = cage.event();
        assert_eq!(
            (event.operation, event.kind),
            (Operation::FileLookup, Kind::Denial)
        );
        assert_eq!(event.denied_by.kind, DeniedByKind::Hidden);
        assert_eq!(
            cage.text("list", tmp.path().join("hidden")),
            Err(Errno::ACCESS)
        );
        assert_eq!(cage.event().denied_by.kind, DeniedByKind::Hidden);
    }
}
