//! Input and output of the command pass through byte for byte.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::os::fd::AsFd as _;

use common::Scene;

/// Every byte, in an order without period.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn bytes_arrive_unchanged() {
    let scene = Scene::new();
    let noise = noise(1 << 20);
    let output = scene
        .run(["sh", "-c", "cat; cat main.c >&2"])
        .write_stdin(noise.clone())
        .output()
        .unwrap();
    assert!(output.stdout == noise);
    assert_eq!(output.stderr, b"int main;\n");
}

/// What the command leaves unread is there for the next one.
#[test]
fn input_is_not_read_ahead() {
    let scene = Scene::new();
    let script = "$W run sh -c 'read line; echo first: $line'; read line; echo second: $line";
    let mut shell = assert_cmd::Command::new("sh");
    shell
        .args(["-c", script])
        .env("W", common::WHYBOX)
        .current_dir(scene.project());
    // A file, since a shell reads a pipe byte by byte anyway but a file by blocks, seeking back.
    std::fs::write(scene.path("lines"), "a\nb\n").unwrap();
    shell.pipe_stdin(scene.path("lines")).unwrap();
    shell
        .assert()
        .code(0)
        .stdout("first: a\nsecond: b\n")
        .stderr("");
}

#[test]
fn a_closed_reader_ends_the_command_by_sigpipe() {
    let scene = Scene::new();
    let script = "{ $W run sh -c 'yes; exit 3'; echo status $? >&2; } | head -n 1";
    let mut shell = assert_cmd::Command::new("sh");
    shell
        .args(["-c", script])
        .env("W", common::WHYBOX)
        .current_dir(scene.project());
    shell.assert().stdout("y\n").stderr("status 3\n");
}

/// Only the three standard streams go in, whatever whybox was started with.
#[test]
fn other_descriptors_stay_outside() {
    let scene = Scene::new();
    let secret = std::fs::File::open(scene.outside("key")).unwrap();
    let high = rustix::io::fcntl_dupfd_cloexec(secret.as_fd(), 30).unwrap();
    rustix::io::fcntl_setfd(&high, rustix::io::FdFlags::empty()).unwrap();
    let script = "ls /proc/self/fd | wc -l; readlink /proc/$$/fd/* | grep -c outside";
    let args = [
        "--report", "r.json", "--events", "e.jsonl", "sh", "-c", script,
    ];
    // ls itself has its directory open.
    scene.run(args).assert().stdout("4\n0\n").stderr("");
}

/// L2, and signals: the command starts as it would without a sandbox.
#[test]
fn signals_are_neither_blocked_nor_ignored() {
    let scene = Scene::new();
    let script = ["sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status"];
    // Signals 32 and 33 are the C library's own; starting a process by it sets them.
    let lines = |command: &mut assert_cmd::Command| -> Vec<u64> {
        let text = common::text(&command.assert().code(0).get_output().stdout);
        let mask = |line: &str| u64::from_str_radix(line.rsplit('\t').next().unwrap(), 16).unwrap();
        text.lines()
            .map(|line| mask(line) & !(0b11 << 31))
            .collect()
    };
    let mut outside = assert_cmd::Command::new(script[0]);
    let [blocked, ignored] = lines(outside.args(&script[1..]))[..] else {
        panic!("two lines")
    };
    assert_eq!(lines(&mut scene.run(script)), [0, ignored]);
    assert_eq!(
        blocked, 0,
        "the test itself is started without blocked signals"
    );
    // As nohup(1) does.
    const USR1: u64 = 1 << 9;
    let mut shell = assert_cmd::Command::new("sh");
    shell
        .args([
            "-c",
            "trap '' USR1; exec \"$@\"",
            "sh",
            common::WHYBOX,
            "run",
        ])
        .args(script);
    shell.current_dir(scene.project());
    assert_eq!(lines(&mut shell), [0, ignored | USR1]);
}
