//! As root: the powers that root keeps reach files that are granted, and nothing else.

use std::os::unix::fs::{PermissionsExt, chown};

use crate::common::{Tree, is_root, shell, verdicts};

// An id that an ordinary user's namespace does not have is `EINVAL`.
const REFUSED: &[&str] = &["EPERM", "EACCES", "EROFS", "ENOENT", "ENOSYS", "EINVAL"];

/// Also for an ordinary user, whom ordinary permissions refuse most of it.
#[test]
fn the_kernel_is_out_of_reach() {
    let tree = Tree::new();
    let script = r#"
attempt('setting', write, '/proc/sys/kernel/hostname')
attempt('core pattern', write, '/proc/sys/kernel/core_pattern')
attempt('modprobe', write, '/proc/sys/kernel/modprobe')
attempt('sysrq', write, '/proc/sysrq-trigger')
attempt('irq', write, '/proc/irq/default_smp_affinity')
attempt('kcore', os.open, '/proc/kcore', os.O_RDWR)
attempt('kmsg', read, '/dev/kmsg')
attempt('memory', read, '/dev/mem')
attempt('uevent', write, '/sys/kernel/uevent_helper')
attempt('power', write, '/sys/power/state')
attempt('mount', lambda: call(SYS_mount, b'none', b'/tmp', b'tmpfs', 0, 0))
attempt('bind', lambda: call(SYS_mount, b'/', b'/tmp', 0, 4096, 0))
attempt('writable again', lambda: call(SYS_mount, 0, b'/usr', 0, 32 | 4096, 0))
attempt('unmount', lambda: call(SYS_umount2, b'/proc', 2))
attempt('pivot', lambda: call(SYS_pivot_root, b'.', b'.'))
attempt('fsopen', lambda: call(SYS_fsopen, b'tmpfs', 0))
attempt('open tree', lambda: call(SYS_open_tree, -100, b'/', 1))
attempt('move mount', lambda: call(SYS_move_mount, -100, b'/usr', -100, b'/tmp', 0))
attempt('mount attributes', lambda: call(SYS_mount_setattr, -100, b'/usr', 0x8000, struct.pack('QQQQ', 0, 1, 0, 0), 32))
for name, flag in (('user', 0x10000000), ('mount', 0x20000), ('pid', 0x20000000), ('net', 0x40000000), ('time', 0x80)):
    attempt('unshare ' + name, lambda: call(SYS_unshare, flag))
attempt('clone3', lambda: call(SYS_clone3, struct.pack('Q', 0x10000000) + bytes(80), 88))
attempt('enter', lambda: call(SYS_setns, os.open('/proc/self/ns/mnt', os.O_RDONLY), 0))
attempt('bpf', lambda: call(SYS_bpf, 0, bytes(64), 64))
attempt('perf', lambda: call(SYS_perf_event_open, bytes(128), 0, -1, -1, 0))
attempt('userfaultfd', lambda: call(SYS_userfaultfd, 1))
attempt('key', lambda: call(SYS_add_key, b'user', b'x', b'x', 1, -3))
attempt('keyctl', lambda: call(SYS_keyctl, 0, -3, 1))
attempt('reboot', lambda: call(SYS_reboot, 0xfee1dead, 672274793, 0, 0))
attempt('swap', lambda: call(SYS_swapon, b'/tmp/x', 0))
attempt('log', lambda: call(SYS_syslog, 10, 0, 0))
attempt('accounting', lambda: call(SYS_acct, 0))
attempt('module', lambda: call(SYS_init_module, b'x', 1, b''))
attempt('clock', time.clock_settime, time.CLOCK_REALTIME, 0)
attempt('host name', lambda: call(SYS_sethostname, b'x', 1))
attempt('chroot', os.chroot, '.')
attempt('ring', lambda: call(SYS_io_uring_setup, 8, ctypes.create_string_buffer(120)))
attempt('injection', lambda: checked(libc.ioctl(0, ctypes.c_ulong(0x5412), b'x')))
attempt('injection with garbage', lambda: checked(libc.ioctl(0, ctypes.c_ulong(0xdeadbeef00005412), b'x')))
attempt('console', lambda: checked(libc.ioctl(0, ctypes.c_ulong(0x541c), b'x')))
attempt('become another', os.setuid, os.getuid() + 1)
attempt('groups', os.setgroups, [0, 5])
attempt('another file system user', lambda: (_ for _ in ()).throw(OSError(1, '')) if libc.setfsuid(12345) == libc.setfsuid(-1) else None)
"#;
    let (verdicts, _) = verdicts(&tree.open().build().unwrap(), tree.root(), script);
    verdicts.all_give(REFUSED);
    verdicts.gives("ring", &["ENOSYS"]);
    verdicts.gives("clone3", &["ENOSYS"]);
    for name in [
        "mount",
        "unshare user",
        "bpf",
        "injection",
        "injection with garbage",
        "console",
    ] {
        verdicts.gives(name, &["EPERM"]);
    }
}

#[test]
fn a_set_user_id_program_gives_nothing() {
    let tree = Tree::new();
    let policy = tree.open().build().unwrap();
    let outcome = shell(
        &policy,
        tree.root(),
        "grep -E 'NoNewPrivs|CapBnd' /proc/self/status",
    );
    let text = outcome.success();
    assert!(text.contains("NoNewPrivs:\t1"), "{text}");
    let bounding = u64::from_str_radix(
        text.split("CapBnd:\t")
            .nth(1)
            .unwrap()
            .lines()
            .next()
            .unwrap(),
        16,
    )
    .unwrap();
    assert_eq!(bounding & !0b1111, 0, "{text}");
}

/// What a hide rule takes, it takes from root; what others own in a granted tree, root can read.
#[test]
fn root_reads_what_its_users_own_and_nothing_hidden() {
    if !is_root() {
        return;
    }
    let tree = Tree::new();
    let private = tree.file("private", "theirs");
    chown(&private, Some(12_345), Some(12_345)).unwrap();
    std::fs::set_permissions(&private, std::fs::Permissions::from_mode(0o600)).unwrap();
    let policy = tree.open().hide("/etc/shadow").build().unwrap();
    let outcome = shell(
        &policy,
        tree.root(),
        "cat private; cat /etc/shadow; stat -c %u private",
    );
    assert_eq!(outcome.success(), "theirs12345");
    let entry = outcome.record.denials().next().unwrap();
    assert_eq!(entry.target.bytes(), b"/etc/shadow");
    assert!(
        shell(
            &tree.open().build().unwrap(),
            tree.root(),
            "cat /etc/shadow"
        )
        .success()
        .contains("root:"),
        "control"
    );
}

/// The classic way out of a changed root needs a capability that is gone.
#[test]
fn a_changed_root_is_no_way_out() {
    let tree = Tree::new();
    let script = "attempt('chroot', lambda: (os.mkdir('jail'), os.chroot('jail')))\nfor _ in range(64): os.chdir('..')\n\
                  print(sorted(os.listdir('.')) == sorted(os.listdir('/')))";
    let outcome = crate::common::run(
        &tree.open().build().unwrap(),
        &mut crate::common::python(tree.root(), script),
    );
    assert!(
        outcome.out.starts_with("attempt chroot EPERM"),
        "{}{}",
        outcome.out,
        outcome.err
    );
}
