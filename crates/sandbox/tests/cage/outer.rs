//! A harness that an outer sandbox listens to already (L4).

use std::path::Path;

use whybox::record::{Class, CoverageState, DeniedByKind};

use crate::common::{Tree, python, run, system};
use crate::harness::{harness, said};

/// Installs a filter with a listener that nothing is ever sent to, and runs a cage under it.
pub(crate) fn role(root: &Path) {
    #[repr(C)]
    struct Program {
        length: u16,
        instructions: *const u64,
    }
    // One instruction: return `SECCOMP_RET_ALLOW`.
    let instructions = [u64::from_ne_bytes([6, 0, 0, 0, 0, 0, 0xff, 0x7f])];
    let program = Program {
        length: 1,
        instructions: instructions.as_ptr(),
    };
    // SAFETY: a program that the kernel copies. The listener stays open to the end.
    let listener = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::syscall(libc::SYS_seccomp, 1, 1 << 3, &raw const program)
    };
    assert!(listener >= 0, "{}", std::io::Error::last_os_error());
    let policy = system(root)
        .write(root)
        .exec(root)
        .hide("hidden")
        .build()
        .unwrap();
    let script = "attempt('hidden', read, 'hidden/key')\nattempt('trace', lambda: call(SYS_ptrace, 0, 0, 0, 0))\n\
                  attempt('ring', lambda: call(SYS_io_uring_setup, 8, ctypes.create_string_buffer(120)))\n\
                  attempt('granted', read, '/etc/passwd')\n";
    let outcome = run(&policy, &mut python(root, script));
    eprint!("{}", outcome.success().replace("attempt ", "") + "\n");
    for entry in outcome.record.denials() {
        assert_eq!(entry.denied_by.kind, DeniedByKind::Hidden);
        eprintln!("{}", entry.operation);
    }
    for class in [Class::SystemCall, Class::FileRead] {
        match outcome.record.coverage.get(class).state {
            CoverageState::Unavailable { reason } => eprintln!("unavailable: {reason}"),
            state => eprintln!("{state}"),
        }
    }
    eprintln!("complete {}", outcome.record.complete);
}

#[test]
fn a_run_under_another_listener_is_confined_the_same() {
    let tree = Tree::new();
    tree.file("hidden/key", "s3cret");
    let said = said(harness("outer", tree.root()));
    let wanted = "hidden EACCES\ntrace EPERM\nring ENOSYS\ngranted ok\nfile-lookup\nunavailable: ";
    assert!(said.starts_with(wanted), "{said}");
    assert!(said.ends_with("\nexact\ncomplete true\n"), "{said}");
}
