//! Attempts of a Python script, each with its verdict.

use std::collections::BTreeMap;
use std::path::Path;

use whybox::{CageOptions, Policy, Violations};

use super::{lines, python, run_with};

const PRELUDE: &str = r#"
import os, sys, errno, ctypes, struct, signal, socket, time
libc = ctypes.CDLL(None, use_errno=True)
def checked(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
def call(number, *arguments):
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return checked(libc.syscall(ctypes.c_long(number), *words))
def attempt(name, f, *arguments):
    try:
        f(*arguments)
        verdict = 'ok'
    except OSError as error:
        verdict = errno.errorcode.get(error.errno, str(error.errno))
    print('attempt', name, verdict, flush=True)
def read(path):
    with open(path, 'rb') as file: return file.read()
def write(path, flags=os.O_WRONLY):
    fd = os.open(path, flags, 0o644)
    try: os.write(fd, b'changed')
    finally: os.close(fd)
"#;

/// Numbers of system calls that Python has no function for.
const CALLS: &[(&str, libc::c_long)] = &[
    ("openat", libc::SYS_openat),
    ("openat2", 437),
    ("name_to_handle_at", libc::SYS_name_to_handle_at),
    ("open_by_handle_at", libc::SYS_open_by_handle_at),
    ("execveat", libc::SYS_execveat),
    ("linkat", libc::SYS_linkat),
    ("renameat2", libc::SYS_renameat2),
    ("fchmodat2", 452),
    ("io_uring_setup", libc::SYS_io_uring_setup),
    ("prlimit64", libc::SYS_prlimit64),
    ("ioprio_set", libc::SYS_ioprio_set),
    ("process_madvise", libc::SYS_process_madvise),
    ("process_vm_readv", libc::SYS_process_vm_readv),
    ("process_vm_writev", libc::SYS_process_vm_writev),
    ("ptrace", libc::SYS_ptrace),
    ("pidfd_open", libc::SYS_pidfd_open),
    ("pidfd_getfd", libc::SYS_pidfd_getfd),
    ("kcmp", libc::SYS_kcmp),
    ("tgkill", libc::SYS_tgkill),
    ("rt_sigqueueinfo", libc::SYS_rt_sigqueueinfo),
    ("sched_setattr", libc::SYS_sched_setattr),
    ("sched_setaffinity", libc::SYS_sched_setaffinity),
    ("mount", libc::SYS_mount),
    ("umount2", libc::SYS_umount2),
    ("pivot_root", libc::SYS_pivot_root),
    ("unshare", libc::SYS_unshare),
    ("setns", libc::SYS_setns),
    ("clone3", libc::SYS_clone3),
    ("fsopen", 430),
    ("open_tree", 428),
    ("move_mount", 429),
    ("mount_setattr", 442),
    ("bpf", libc::SYS_bpf),
    ("perf_event_open", libc::SYS_perf_event_open),
    ("userfaultfd", libc::SYS_userfaultfd),
    ("add_key", libc::SYS_add_key),
    ("keyctl", libc::SYS_keyctl),
    ("reboot", libc::SYS_reboot),
    ("swapon", libc::SYS_swapon),
    ("syslog", libc::SYS_syslog),
    ("acct", libc::SYS_acct),
    ("init_module", libc::SYS_init_module),
    ("clock_settime", libc::SYS_clock_settime),
    ("sethostname", libc::SYS_sethostname),
];

pub(super) fn with_prelude(script: &str) -> String {
    let calls: String = CALLS
        .iter()
        .map(|(name, number)| format!("SYS_{name} = {number}\n"))
        .collect();
    format!("{PRELUDE}{calls}{script}")
}

/// What each attempt of a script gave: `ok` or the name of its errno.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdicts(BTreeMap<String, String>);

impl Verdicts {
    /// Reads the lines `attempt NAME VERDICT`.
    pub(crate) fn parse(text: &str) -> Verdicts {
        Verdicts(
            text.lines()
                .filter_map(|line| line.strip_prefix("attempt ")?.rsplit_once(' '))
                .map(|(name, verdict)| (name.to_owned(), verdict.to_owned()))
                .collect(),
        )
    }

    /// Each attempt succeeded: the control of a test that expects refusals.
    #[track_caller]
    pub(crate) fn all_succeed(&self) {
        self.all_give(&["ok"]);
    }

    /// Each attempt gave one of these, and there was one.
    #[track_caller]
    pub(crate) fn all_give(&self, wanted: &[&str]) {
        assert!(!self.0.is_empty(), "nothing was attempted");
        let others: Vec<_> = self
            .0
            .iter()
            .filter(|(_, verdict)| !wanted.contains(&verdict.as_str()))
            .collect();
        assert!(others.is_empty(), "not {wanted:?}: {others:?}");
    }

    #[track_caller]
    pub(crate) fn gives(&self, name: &str, wanted: &[&str]) {
        assert!(
            wanted.contains(&self.of(name)),
            "{name}: {} instead of {wanted:?}",
            self.of(name)
        );
    }

    #[track_caller]
    pub(crate) fn of(&self, name: &str) -> &str {
        self.0
            .get(name)
            .unwrap_or_else(|| panic!("{name} was not attempted: {:?}", self.0))
    }

    /// The names of all attempts.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// Runs a script of attempts twice, watched and not, and requires the same verdicts (D1). Gives those, and the record.
///
/// `fresh` sets the tree up before each run: an attempt that succeeds changes it.
#[track_caller]
pub(crate) fn verdicts_of(
    policy: &Policy,
    directory: &Path,
    script: &str,
    mut fresh: impl FnMut(),
) -> (Verdicts, Violations) {
    let mut once = |options: &CageOptions| {
        fresh();
        let outcome = run_with(policy, options, &mut python(directory, script));
        assert!(
            outcome.status.success(),
            "{}\n{}\n{}",
            outcome.status,
            outcome.out,
            outcome.err
        );
        (Verdicts::parse(&outcome.out), outcome.record)
    };
    let (unwatched, nothing) = once(&CageOptions::default());
    assert!(
        nothing.is_empty(),
        "V1: nothing is recorded without reporting: {}",
        lines(&nothing)
    );
    let (watched, record) = once(&CageOptions::default().with_violations());
    assert_eq!(unwatched, watched, "D1: verdicts unwatched and watched");
    (watched, record)
}

/// The same for a script that changes nothing.
#[track_caller]
pub(crate) fn verdicts(policy: &Policy, directory: &Path, script: &str) -> (Verdicts, Violations) {
    verdicts_of(policy, directory, script, || {})
}
