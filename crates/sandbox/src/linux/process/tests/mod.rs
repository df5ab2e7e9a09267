//! Real processes and threads, told apart by their ids (V2).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use super::files::{Status, parse_stat, parse_status};
use super::{PROCESSES, Processes};

/// A child that does what it is told line by line, and is ended with the test.
struct Shell(Child);

impl Shell {
    fn start(program: &str, arguments: &[&str]) -> Self {
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self(child)
    }

    fn id(&self) -> u32 {
        self.0.id()
    }

    /// Has it run a line, and gives the first line that this prints.
    fn tell(&mut self, line: &str) -> String {
        writeln!(self.0.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        // One byte at a time: what follows belongs to the next answer.
        let output = self.0.stdout.as_mut().unwrap();
        BufReader::with_capacity(1, output)
            .read_line(&mut answer)
            .unwrap();
        answer.trim_end().to_owned()
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The program as `/proc` spells it.
fn program(pid: u32) -> Vec<u8> {
    use std::os::unix::ffi::OsStringExt;
    std::fs::read_link(format!("/proc/{pid}/exe"))
        .unwrap()
        .into_os_string()
        .into_vec()
}

#[test]
fn a_process_is_named_with_parent_and_program() {
    let processes = Processes::new();
    let mut shell = Shell::start("sh", &[]);
    shell.tell("echo");
    for _ in 0..3 {
        let process = processes.of_thread(shell.id());
        assert_eq!(process.pid(), shell.id());
        assert_eq!(process.ppid(), std::process::id());
        assert_eq!(process.name(), b"sh");
        assert_eq!(process.exe(), Some(&*program(shell.id())));
    }
}

#[test]
fn a_name_is_that_of_the_moment_and_may_be_any_bytes() {
    let processes = Processes::new();
    let mut shell = Shell::start("bash", &[]);
    shell.tell("echo");
    assert_eq!(processes.of_thread(shell.id()).name(), b"bash");
    let names = [
        ("a b) S 1", "a b) S 1"),
        ("one\ttwo\r", "one\\ttwo\\r"),
        ("\u{1b}[2J", "\\e[2J"),
    ];
    for (name, written) in names {
        shell.tell(&format!("printf %s $'{written}' >/proc/self/comm; echo"));
        let process = processes.of_thread(shell.id());
        assert_eq!(process.name(), name.as_bytes());
        assert_eq!(process.ppid(), std::process::id());
    }
}

#[test]
fn a_thread_is_its_process() {
    let processes = Processes::new();
    std::thread::Builder::new()
        .name("a-thread".to_owned())
        .spawn(move || {
            let thread = rustix::thread::gettid()
                .as_raw_nonzero()
                .get()
                .cast_unsigned();
            assert_ne!(
                thread,
                std::process::id(),
                "the test is about another thread than the first"
            );
            let whole = processes.of_thread(std::process::id());
            for _ in 0..3 {
                assert_eq!(processes.of_thread(thread), whole);
                assert_eq!(whole.pid(), std::process::id());
                assert_ne!(whole.name(), b"a-thread");
            }
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn a_program_that_replaced_another_is_named() {
    let processes = Processes::new();
    let mut shell = Shell::start("sh", &[]);
    shell.tell("echo");
    let before = processes.of_thread(shell.id());
    assert_eq!(shell.tell("echo ready; exec cat"), "ready");
    assert_eq!(shell.tell("there"), "there");
    let after = processes.of_thread(shell.id());
    assert_eq!((after.pid(), after.ppid()), (before.pid(), before.ppid()));
    assert_eq!(after.name(), b"cat");
    assert_eq!(after.exe(), Some(&*program(shell.id())));
    assert_ne!(after.exe(), before.exe());
}

/// The process of the next test: it executes from a thread that is not its
/// first, as every test is run.
#[test]
#[ignore = "the other half of a test beside it"]
fn executor() {
    use std::os::unix::process::CommandExt;
    let thread = rustix::thread::gettid().as_raw_nonzero();
    eprintln!("{thread}");
    // Not a byte more than the line: the rest is for what comes after.
    let mut byte = [0];
    while rustix::io::read(std::io::stdin(), &mut byte).unwrap() == 1 && byte != *b"\n" {}
    panic!("{}", Command::new("cat").exec());
}

#[test]
fn a_thread_that_executes_becomes_its_process() {
    let module = module_path!()
        .split("::")
        .skip(1)
        .collect::<Vec<_>>()
        .join("::");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            &format!("{module}::executor"),
            "--ignored",
            "--nocapture",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut thread = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut thread)
        .unwrap();
    let thread: u32 = thread.trim().parse().unwrap();
    let mut child = Shell(child);
    let processes = Processes::new();
    assert_ne!(thread, child.id());
    let before = processes.of_thread(thread);
    assert_eq!(before.pid(), child.id());
    assert_eq!(processes.of_thread(thread), before);

    while child.tell("echoed") != "echoed" {}
    let after = processes.of_thread(child.id());
    assert_eq!((after.pid(), after.name()), (child.id(), &b"cat"[..]));
    assert_eq!(processes.of_thread(thread).name(), b"?", "the id is gone");
}

#[test]
fn a_parent_that_ended_is_replaced() {
    let processes = Processes::new();
    let mut shell = Shell::start("sh", &[]);
    let parent = shell.id();
    let pid = shell
        .tell("sleep 1000 </dev/null >/dev/null & echo $!")
        .parse()
        .unwrap();
    let orphan = KillOnDrop(pid);
    for _ in 0..3 {
        assert_eq!(processes.of_thread(pid).ppid(), parent);
    }
    drop(shell);
    let now = processes.of_thread(pid).ppid();
    assert_ne!(now, parent);
    let status = std::fs::read(format!("/proc/{pid}/status")).unwrap();
    assert_eq!(Some(now), parse_status(&status).map(|status| status.parent));
    drop(orphan);
}

struct KillOnDrop(u32);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.0.cast_signed()) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

#[test]
fn an_ended_process_is_not_named_after_what_it_was() {
    let processes = Processes::new();
    let mut shell = Shell::start("sh", &[]);
    shell.tell("echo");
    let pid = shell.id();
    assert_eq!(processes.of_thread(pid).name(), b"sh");
    drop(shell);
    let gone = processes.of_thread(pid);
    assert_eq!(
        (gone.pid(), gone.name(), gone.exe()),
        (pid, &b"?"[..], None)
    );
    assert_eq!(processes.of_thread(0).name(), b"?");
}

#[test]
fn more_processes_than_are_remembered_are_all_named() {
    let processes = Processes::new();
    let mut shells: Vec<Shell> = (0..PROCESSES + 8)
        .map(|_| Shell::start("sh", &[]))
        .collect();
    for _ in 0..2 {
        for shell in &mut shells {
            shell.tell("echo");
            let process = processes.of_thread(shell.id());
            assert_eq!((process.pid(), process.name()), (shell.id(), &b"sh"[..]));
        }
    }
    assert_eq!(processes.locked().processes.entries.len(), PROCESSES);
}

#[test]
fn the_kernels_text_is_read_past_a_hostile_name() {
    let status = b"Name:\tTgid:\\n\nUmask:\t0022\nTgid:\t12\nNgid:\t0\nPid:\t13\nPPid:\t7\n";
    assert_eq!(
        parse_status(status),
        Some(Status {
            process: 12,
            parent: 7
        })
    );
    assert_eq!(parse_stat(b"12 (a) S 99 (b) R 7 12 12 0"), Some(7));
    assert_eq!(parse_stat(b"12 (a) S"), None);
    assert_eq!(parse_status(b"Tgid:\tx\nPPid:\t1\n"), None);
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(text in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let _ = (parse_stat(&text), parse_status(&text));
    }
}
