//! A path of the host that never answers stops one thread for a second, and
//! nothing else. The host's mounts of these tests are made in a mount
//! namespace of their own: the test runs itself again in there.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use rustix::io::Errno;
use whybox_record::{DeniedByKind, Kind, Operation};

use super::mounted::{Mounted, PARENT, Setup};

/// Runs an ignored test of this module in a mount namespace.
fn run_apart(name: &str) {
    let module = module_path!()
        .split("::")
        .skip(1)
        .collect::<Vec<_>>()
        .join("::");
    let user: &[&str] = if rustix::process::geteuid().is_root() {
        &[]
    } else {
        &["-Ur"]
    };
    // Mounts end with their namespace; only then can their directories go.
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let status = Command::new("unshare")
        .env(PARENT, directory.path())
        .args(user)
        .args(["-m", "--propagation", "private"])
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            &format!("{module}::{name}"),
            "--ignored",
            "--nocapture",
        ])
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
}

/// A FUSE mount of which nobody reads the requests.
struct Dead(Child);

impl Dead {
    fn mount(at: &std::path::Path) -> Option<Self> {
        let script = r#"exec 8<>/dev/fuse || exit 9
            mount -i -t fuse.dead -o fd=8,rootmode=40755,user_id=$(id -u),group_id=$(id -g) dead "$1" || exit 9
            echo mounted; read end"#;
        let mut child = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(at)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let mounted = (line == "mounted\n").then_some(Self(child));
        if mounted.is_none() {
            eprintln!("SKIPPED: this machine mounts no FUSE in a namespace");
        }
        mounted
    }
}

impl Drop for Dead {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn is_not_examined(cage: &mut Mounted, name: &str) {
    assert_eq!(cage.text("stat", cage.path(name)), Err(Errno::ACCESS));
    let event = cage.event();
    assert_eq!(
        (event.operation, event.kind),
        (Operation::FileReadMetadata, Kind::NotExamined)
    );
    assert_eq!(event.denied_by.kind, DeniedByKind::NotExamined);
    assert_eq!(event.process.pid(), cage.pid());
}

#[test]
fn nothing_is_looked_up_on_a_mount_that_is_fuse() {
    run_apart("a_mount_that_is_fuse");
}

#[test]
#[ignore = "run by the test beside it"]
fn a_mount_that_is_fuse() {
    let setup = Setup::new();
    std::fs::create_dir(setup.path("dead")).unwrap();
    std::fs::write(setup.path("alive"), b"1").unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    let Some(dead) = Dead::mount(&cage.path("dead")) else {
        return;
    };
    for name in ["dead", "dead/deeper", "dead"] {
        is_not_examined(&mut cage, name);
    }
    assert!(cage.text("stat", cage.path("alive")).is_ok());
    assert_eq!(cage.events(), []);
    drop(dead);
}

#[test]
fn a_question_that_hangs_is_answered_for_its_thread() {
    run_apart("a_question_that_hangs");
}

#[test]
#[ignore = "run by the test beside it"]
fn a_question_that_hangs() {
    let setup = Setup::new();
    for directory in ["dead", "mount"] {
        std::fs::create_dir(setup.path(directory)).unwrap();
    }
    let tmpfs = Command::new("mount")
        .args(["-t", "tmpfs", "none"])
        .arg(setup.path("mount"))
        .status();
    assert!(tmpfs.unwrap().success());
    std::fs::create_dir(setup.path("mount/inner")).unwrap();
    std::fs::write(setup.path("mount/beside"), b"1").unwrap();
    std::fs::write(setup.path("alive"), b"1").unwrap();
    let Some(mut cage) = setup.mount(|rules| rules) else {
        return;
    };
    let Some(dead) = Dead::mount(&cage.path("dead")) else {
        return;
    };
    // The process stands in a directory that the host replaces by a way to
    // the dead mount: no look at the mounts tells where the name leads.
    assert_eq!(
        cage.text("chdir", cage.path("mount/inner")),
        Ok(String::new())
    );
    std::fs::rename(cage.path("mount/inner"), cage.path("mount/moved")).unwrap();
    std::os::unix::fs::symlink("../dead", cage.path("mount/inner")).unwrap();

    let target = cage.path("mount/inner/file");
    assert_eq!(cage.text("stat", "file"), Err(Errno::ACCESS));
    let event = cage.event();
    assert_eq!(
        (event.kind, event.process.pid()),
        (Kind::NotExamined, cage.pid())
    );
    assert_eq!(event.target.bytes(), target.as_os_str().as_encoded_bytes());
    // The mount that it began on is given up, the others are not. The kernel
    // asks twice about a name that it knew: before and after it drops it.
    assert_eq!(
        cage.text("stat", cage.path("mount/beside")),
        Err(Errno::ACCESS)
    );
    let events = cage.events();
    assert!((1..=2).contains(&events.len()), "{events:#?}");
    assert!(events.iter().all(|event| event.kind == Kind::NotExamined));
    is_not_examined(&mut cage, "mount/beside");
    assert!(cage.text("stat", cage.path("alive")).is_ok());

    // When the thread comes back, it does not answer again, and the mount is
    // asked about again.
    drop(dead);
    let beside = cage.path("mount/beside");
    while cage.text("stat", &beside) == Err(Errno::ACCESS) {
        std::thread::yield_now();
    }
    cage.events();
    assert!(cage.text("stat", cage.path("alive")).is_ok());
    assert_eq!(cage.events(), []);
}
