//! PID 1 of the cage: out of the command's reach, and small.

use std::io::{BufRead, BufReader};

use whybox::{Cage, CageOptions, Grants};

use crate::common::{Tree, in_shell, python, run, verdicts};

const REACH: &str = r#"
import resource
attempt('limits', lambda: call(SYS_prlimit64, 1, resource.RLIMIT_NOFILE, struct.pack('QQ', 0, 0), 0))
attempt('priority', os.setpriority, os.PRIO_PROCESS, 1, 19)
attempt('scheduler', os.sched_setscheduler, 1, os.SCHED_IDLE, os.sched_param(0))
attempt('attributes', lambda: call(SYS_sched_setattr, 1, struct.pack('IIQiIQQQ', 48, 5, 0, 0, 0, 0, 0, 0), 0))
attempt('affinity', os.sched_setaffinity, 1, {0})
attempt('io priority', lambda: call(SYS_ioprio_set, 1, 1, 3 << 13))
attempt('advice', lambda: call(SYS_process_madvise, os.pidfd_open(1), struct.pack('QQ', 4096, 4096), 1, 21, 0))
for name in ('mem', 'environ', 'maps', 'auxv', 'stack', 'syscall', 'pagemap'):
    attempt(name, read, '/proc/1/' + name)
for name in ('root', 'cwd', 'exe', 'fd/3'):
    attempt(name, os.readlink, '/proc/1/' + name)
attempt('descriptor', read, '/proc/1/fd/3')
attempt('namespace', os.readlink, '/proc/1/ns/mnt')
attempt('trace', lambda: call(SYS_ptrace, 16, 1, 0, 0))
attempt('seize', lambda: call(SYS_ptrace, 0x4206, 1, 0, 0))
buffer = ctypes.create_string_buffer(8)
vector = struct.pack('QQ', ctypes.addressof(buffer), 8)
attempt('read memory', lambda: call(SYS_process_vm_readv, 1, vector, 1, vector, 1, 0))
attempt('write memory', lambda: call(SYS_process_vm_writev, 1, vector, 1, vector, 1, 0))
attempt('take descriptor', lambda: call(SYS_pidfd_getfd, os.pidfd_open(1), 3, 0))
attempt('compare', lambda: call(SYS_kcmp, 1, os.getpid(), 0, 3, 3))
"#;

/// The design's list of what reaches a process of the same user.
#[test]
fn the_first_process_is_out_of_reach() {
    let tree = Tree::new();
    let (verdicts, _) = verdicts(&tree.open().build().unwrap(), tree.root(), REACH);
    verdicts.all_give(&["EPERM", "EACCES"]);
}

/// The control: the same reaches a process of the command's own, where it is no refused call.
#[test]
fn what_is_attempted_reaches_ones_own_processes() {
    let tree = Tree::new();
    let own = "os.dup2(0, 3)\npid = os.fork()\nif pid == 0: time.sleep(600)\n";
    let script = format!(
        "{own}{}\nos.kill(pid, 9)",
        REACH
            .replace("/proc/1/", "/proc/%d/")
            .replace(", 1, 19)", ", pid, 19)")
    );
    let script = script
        .replace("'/proc/%d/' + name", "f'/proc/{pid}/' + name")
        .replace("(1, os.SCHED_IDLE", "(pid, os.SCHED_IDLE");
    let script = script
        .replace("sched_setscheduler, 1,", "sched_setscheduler, pid,")
        .replace("sched_setaffinity, 1,", "sched_setaffinity, pid,");
    let outcome = run(
        &tree.open().build().unwrap(),
        &mut python(tree.root(), &script),
    );
    let verdicts = crate::common::Verdicts::parse(outcome.success());
    for name in [
        "priority",
        "scheduler",
        "affinity",
        "environ",
        "maps",
        "fd/3",
        "root",
        "cwd",
    ] {
        verdicts.gives(name, &["ok"]);
    }
    for name in ["trace", "read memory", "take descriptor", "compare"] {
        verdicts.gives(name, &["EPERM"]);
    }
}

/// Signals do nothing to it, and the cage still ends as it should.
#[test]
fn signals_do_not_stop_the_first_process() {
    let tree = Tree::new();
    let script = "for number in range(1, 65):\n    try: os.kill(1, number)\n    except OSError: pass\n\
                  try: os.kill(-1, signal.SIGSTOP)\nexcept OSError: pass\n\
                  pid = os.fork()\nif pid == 0: os.setsid(); time.sleep(600)\nprint('on'); os._exit(7)";
    let outcome = run(
        &tree.open().build().unwrap(),
        &mut python(tree.root(), script),
    );
    assert_eq!((outcome.code(), outcome.out.as_str()), (7, ""));
}

/// The harness and other processes outside have no number in the cage, by any call (ENF-44).
#[test]
fn processes_outside_cannot_be_named() {
    let tree = Tree::new();
    let mut outside = std::process::Command::new("/bin/sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let script = format!(
        "for name, pid in (('harness', {}), ('outside', {})):\n    \
         attempt('kill ' + name, os.kill, pid, 0)\n    attempt('group ' + name, os.killpg, pid, 0)\n    \
         attempt('thread ' + name, lambda: call(SYS_tgkill, pid, pid, 9))\n    \
         attempt('queue ' + name, lambda: call(SYS_rt_sigqueueinfo, pid, 9, bytes(128)))\n    \
         attempt('descriptor ' + name, os.pidfd_open, pid)\n    \
         attempt('priority ' + name, os.setpriority, os.PRIO_PROCESS, pid, 19)\n    \
         attempt('limits ' + name, lambda: call(SYS_prlimit64, pid, 0, struct.pack('QQ', 1, 1), 0))\n    \
         attempt('memory ' + name, lambda: call(SYS_process_vm_readv, pid, bytes(16), 1, bytes(16), 1, 0))\n",
        // Ids of a busy host are far above those that a cage of few processes reaches.
        std::process::id().max(1000),
        outside.id().max(1000),
    );
    let (verdicts, _) = verdicts(&tree.open().build().unwrap(), tree.root(), &script);
    verdicts.all_give(&["ESRCH", "EPERM"]);
    assert!(outside.try_wait().unwrap().is_none(), "it lives");
    outside.kill().unwrap();
    outside.wait().unwrap();
}

/// H2: a descriptor's owner is signalled when something can be read; nobody outside is, nor the whole session.
#[test]
fn signals_of_descriptors_and_groups_stay_inside() {
    let tree = Tree::new();
    let mut outside = std::process::Command::new("/bin/sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let script = format!(
        "import fcntl\nr, w = os.pipe()\n\
         for owner in ({}, -{}, 0):\n    \
         try: fcntl.fcntl(r, fcntl.F_SETOWN, owner); fcntl.fcntl(r, 10, signal.SIGKILL if owner else signal.SIGURG)\n    \
         except OSError: continue\n    \
         fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK); os.write(w, b'x')\n\
         signal.signal(signal.SIGUSR1, signal.SIG_IGN)\ntry: os.kill(0, signal.SIGUSR1)\nexcept OSError: pass\nprint('ok')",
        outside.id(),
        outside.id()
    );
    let outcome = run(
        &tree.open().build().unwrap(),
        &mut python(tree.root(), &script),
    );
    assert_eq!(outcome.success(), "ok");
    assert!(
        outside.try_wait().unwrap().is_none(),
        "it lives, and so does this harness, which is of the group"
    );
    outside.kill().unwrap();
    outside.wait().unwrap();
}

/// Its private memory, in KiB, and nothing of the harness in it.
#[test]
fn the_first_process_is_small() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    // What would be copied by a fork.
    let touched = std::hint::black_box(vec![7u8; 64 << 20]);
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    let mut run = cage
        .spawn(
            in_shell(tree.root(), "echo up; read x").stdin(whybox::Stdio::piped()),
            &Grants::new(),
        )
        .unwrap();
    let mut line = String::new();
    BufReader::new(run.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", run.id())).unwrap();
    let init: u32 = stat
        .rsplit_once(") ")
        .unwrap()
        .1
        .split(' ')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    if crate::common::is_root() {
        // Not dumpable, so that only root can look.
        let rollup = std::fs::read_to_string(format!("/proc/{init}/smaps_rollup")).unwrap();
        let private: u64 = rollup
            .lines()
            .filter(|line| line.starts_with("Private_"))
            .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
            .sum();
        assert!(private > 0 && private <= 256, "{private} KiB: {rollup}");
    }
    assert_eq!(
        std::fs::read_to_string(format!("/proc/{init}/comm")).unwrap(),
        "whybox-init\n"
    );
    drop(touched);
    assert!(run.wait().unwrap().code().is_some());
}
