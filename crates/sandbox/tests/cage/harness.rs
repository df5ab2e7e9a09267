//! A harness of its own: this program, executed again in a role. For what would disturb the other tests: signals
//! that are blocked or ignored, descriptors that leak, a filter, a violent end.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

const ROLE: &str = "WHYBOX_TEST_ROLE";
const TREE: &str = "WHYBOX_TEST_TREE";

type Role = fn(&Path);

/// What a role does.
fn roles() -> BTreeMap<&'static str, Role> {
    BTreeMap::from([
        ("start", crate::harnesses::role as Role),
        (
            "ignore-children",
            crate::harnesses::role_that_ignores_its_children,
        ),
        ("block-signals", crate::harnesses::role_that_blocks_signals),
        ("no-zombies", crate::harnesses::role_that_counts_zombies),
        ("no-streams", crate::streams::role_without_standard_input),
        ("inherit", crate::streams::role_that_lets_inherit),
        ("environment", crate::environment::role),
        ("descriptors", crate::descriptors::role),
        ("locks", crate::descriptors::role_with_a_lock),
        ("guardian", crate::killed::role_of_the_guardian),
        ("victim", crate::killed::role_of_the_victim),
        ("launcher", crate::killed::role_of_the_launcher),
        ("outer", crate::outer::role),
    ])
}

/// The command for a role, with a pipe for its standard error: what it has to say, it says there.
pub(crate) fn harness(role: &str, tree: &Path) -> Command {
    let mut command = Command::new(program());
    arguments(&mut command, role, tree);
    command
}

/// The same, started by another program.
pub(crate) fn harness_under(launcher: &[impl AsRef<OsStr>], role: &str, tree: &Path) -> Command {
    let mut command = Command::new(&launcher[0]);
    command.args(&launcher[1..]).arg(program());
    arguments(&mut command, role, tree);
    command
}

fn program() -> PathBuf {
    std::env::current_exe().unwrap()
}

fn arguments(command: &mut Command, role: &str, tree: &Path) {
    command.args([
        "--exact",
        "harness::role",
        "--nocapture",
        "--test-threads=1",
    ]);
    command.env(ROLE, role).env(TREE, tree);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
}

/// Runs a role to its end, which must be a good one; gives what it said.
#[track_caller]
pub(crate) fn said(mut command: Command) -> String {
    // One at a time: each is a whole program.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{}\n{}\n{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stderr)
}

#[test]
fn role() {
    let Some(role) = std::env::var_os(ROLE) else {
        return;
    };
    let tree = PathBuf::from(std::env::var_os(TREE).unwrap());
    roles()[role.to_str().unwrap()](&tree);
}
