//! System calls that lead out of a cage, and those that only look like it.

use crate::bed::{Bed, have};
use crate::common::Scene;
use crate::common::pty::Terminal;

/// Whatever a ring does, no filter sees. Libraries ask for one and fall back, so the entry is that of a probe.
#[test]
fn enf_01_no_io_uring() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    bed.sbx()
        .w("$T/w")
        .python(
            "import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in (425, 425 | 1 << 32):
    print(libc.syscall(ctypes.c_long(number), 8, ctypes.create_string_buffer(120)), ctypes.get_errno())",
        )
        .code(0)
        .out("-1 38\n-1 38\n")
        .record(&["probe: python3 system-call io_uring_setup (hard-deny io-uring) x2"])
        .unchanged();
}

/// Node has a ring of its own to fall back from.
#[test]
fn enf_01_node_gets_along_without_io_uring() {
    if !have(&["node"]) {
        return;
    }
    let bed = Bed::new();
    bed.sbx()
        .w("$T/w")
        .env("UV_USE_IO_URING", "1")
        .run(&[
            "node",
            "-e",
            "require('fs').promises.readFile('/etc/passwd').then(() => console.log('ok'))",
        ])
        .code(0)
        .out("ok\n")
        .unchanged();
}

/// Pushing characters into the terminal's input, also where the upper half of the argument is not zero.
#[test]
fn enf_04_no_injection_into_the_terminal() {
    if !have(&["python3"]) {
        return;
    }
    let scene = Scene::new();
    std::fs::write(
        scene.path("inject.py"),
        "import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for request in (0x5412, 0x5412 | 1 << 32, 0x541c, 0x541c | 1 << 40):
    result = libc.syscall({'x': 16, 'a': 29}[__import__('os').uname().machine[0]], 0, ctypes.c_ulong(request), b'x')
    print('errno', ctypes.get_errno() if result else 'INJECTED')
print('do' + 'ne')
",
    )
    .unwrap();
    let mut terminal = Terminal::new(&scene.project());
    terminal.line("$W run --report r.json /usr/bin/python3 inject.py");
    let told = terminal.expect("done");
    assert_eq!(told.matches("errno 1\r\n").count(), 4, "{told}");
    terminal.line("echo status $?");
    terminal.expect("status 0");
    let report = scene.report("r.json");
    let entries = report["violations"].as_array().unwrap();
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (entry["target"]["text"].as_str(), entry["repeats"].as_u64()))
        .collect();
    assert_eq!(
        told,
        [
            (Some("ioctl(TIOCSTI)"), Some(2)),
            (Some("ioctl(TIOCLINUX)"), Some(2))
        ]
    );
}

/// Listing interfaces and looking up the own name take a socket of the routing family.
#[test]
fn enf_16_interfaces_can_be_listed() {
    let bed = Bed::new();
    if have(&["node"]) {
        bed.sbx()
            .w("$T/w")
            .run(&[
                "node",
                "-p",
                "Object.keys(require('os').networkInterfaces()).join()",
            ])
            .code(0)
            .out("lo\n")
            .no_entry()
            .unchanged();
    }
    let ran = bed
        .sbx()
        .w("$T/w")
        .run(&["getent", "ahosts", "localhost"])
        .code(0)
        .no_entry()
        .unchanged();
    assert!(ran.out.contains("127.0.0.1"), "{ran:#?}");
}

/// An unknown call is answered as by a kernel that does not have it; threads and the newer calls work.
#[test]
fn enf_21_threads_and_new_calls() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    bed.sbx()
        .w("$T/w")
        .python(
            "import threading, os, ctypes
t = threading.Thread(target=lambda: print('thread')); t.start(); t.join()
os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)
os.stat('.'); os.access('.', os.R_OK, effective_ids=True)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(ctypes.c_long(9999)), ctypes.get_errno())",
        )
        .code(0)
        .out("thread\n-1 38\n")
        .record(&["probe: python3 system-call call 9999 (unknown-call)"])
        .unchanged();
}

/// Processes outside are not there: neither their environment nor their descriptors, nor to be signalled.
#[test]
fn enf_27_enf_44_processes_outside_do_not_exist() {
    if !have(&["python3", "ps"]) {
        return;
    }
    let bed = Bed::new();
    let mut stranger = std::process::Command::new("sleep")
        .arg("600")
        .env("SECRET", "topsecret")
        .spawn()
        .unwrap();
    let pid = stranger.id();
    let ran = bed
        .sbx()
        .w("$T/w")
        .python(&format!(
            "import os, signal, ctypes, subprocess
pid = {pid}
for name in ('environ', 'cmdline', 'maps', 'mem', 'fd/0', 'root/etc/passwd', 'cwd'):
    try: print('LEAK', open('/proc/%d/%s' % (pid, name), 'rb').read(99))
    except OSError as e: print(e.errno)
libc = ctypes.CDLL(None, use_errno=True)
def c(result):
    if result < 0: raise OSError(ctypes.get_errno(), '')
tgkill, queue = {{'x': (234, 129), 'a': (131, 138)}}[os.uname().machine[0]]
for call in (lambda: os.kill(pid, 0), lambda: os.kill(pid, 9), lambda: os.pidfd_open(pid), lambda: os.killpg(os.getpgid(pid), 9),
             lambda: c(libc.syscall(tgkill, pid, pid, 9)), lambda: c(libc.syscall(queue, pid, 9, bytes(8) + b'\\xff' * 4 + bytes(116)))):
    try: call(); print('REACHED')
    except OSError as e: print(e.errno)
own = subprocess.Popen(['sleep', '60']); os.kill(own.pid, 15); print(own.wait())
print(b'topsecret' in b''.join(open('/proc/%s/environ' % p, 'rb').read() for p in os.listdir('/proc') if p.isdigit() and p != '1'))
print(len(subprocess.run(['ps', '-eo', 'pid='], capture_output=True).stdout.split()))"
        ))
        .code(0)
        .unchanged();
    let alive = stranger.try_wait().unwrap().is_none();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert!(alive, "{ran:#?}");
    let expected = format!("{}{}-15\nFalse\n3\n", "2\n".repeat(7), "3\n".repeat(6));
    ran.out(&expected).no_entry();
}

/// Signals reach the cage's own processes, also those with a session of their own.
#[test]
fn enf_53_signals_among_own_processes() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    bed.sbx()
        .w("$T/w")
        .python(
            "import subprocess as s, os
p = s.Popen(['sleep', '30'], start_new_session=True); p.kill(); print(p.wait())
p = s.Popen(['sh', '-c', 'exec sleep 30'], start_new_session=True); os.killpg(p.pid, 15); print(p.wait())
print(s.run(['timeout', '0.1', 'sleep', '5']).returncode)",
        )
        .code(0)
        .out("-9\n-15\n124\n")
        .no_entry()
        .unchanged();
}

/// A sandbox inside: the entry is about namespaces, not about a path.
#[test]
fn obs_03_a_sandbox_inside() {
    if !have(&["bwrap"]) {
        return;
    }
    let bed = Bed::new();
    let ran = bed
        .sbx()
        .w("$T/w")
        .run(&["bwrap", "--ro-bind", "/", "/", "true"])
        .code(1)
        .out("")
        .unchanged();
    assert_eq!(ran.entries().len(), 1, "{ran:#?}");
    let entry = &ran.report["violations"][0];
    assert_eq!(entry["class"], "system-call");
    assert_eq!(entry["denied_by"]["class"], "namespaces");
    assert_ne!(entry["target"]["type"], "path");
}

/// A file that may be read and not executed is no program of its own; SECURITY.md says that its code is data all the same.
#[test]
fn enf_26_reading_is_not_executing() {
    let bed = Bed::new();
    std::fs::copy("/bin/true", bed.path("ro/prog")).unwrap();
    bed.mode("ro/prog", 0o755);
    let read = bed.path("ro").into_os_string();
    bed.sbx()
        .w("$T/w")
        .option(["--read".into(), read])
        .sh("cat $T/ro/prog >/dev/null && $T/ro/prog; echo $?")
        .code(0)
        .out("126\n")
        .unchanged();
    bed.sbx()
        .w("$T/w")
        .r("$T/ro")
        .sh("$T/ro/prog; echo $?")
        .code(0)
        .out("0\n")
        .no_entry()
        .unchanged();
    let told = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../SECURITY.md"));
    assert!(told.unwrap().contains("Code is not only programs"));
}
