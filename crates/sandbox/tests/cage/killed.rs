//! A harness that is killed takes its runs with it (H11, X9).

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child as Process, Command as Standard};
use std::time::{Duration, Instant};

use rustix::process::{WaitOptions, waitpid};
use whybox::policy::Lifetime;
use whybox::{Cage, CageOptions, Command, Grants, Stdio};

use crate::common::{Tree, in_shell, long, system};
use crate::harness::{harness, said};

/// Whatever a killed harness leaves becomes this process's child: nothing of it can hide.
fn adopt() {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
}

/// Reaps until no process is left; how many there were besides the first.
fn none_is_left(first: Process) -> usize {
    drop(first);
    let start = Instant::now();
    let mut reaped = 0;
    loop {
        match waitpid(None, WaitOptions::NOHANG) {
            Ok(Some(_)) => reaped += 1,
            Ok(None) => {
                if start.elapsed() > Duration::from_secs(20) {
                    panic!("left: {:?}", children());
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(rustix::io::Errno::CHILD) => return reaped - 1,
            Err(errno) => panic!("{errno}"),
        }
    }
}

/// What is left, for the message.
fn children() -> Vec<String> {
    let own = format!(" {} ", rustix::process::getpid().as_raw_nonzero());
    let stat = |entry: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(entry.ok()?.path().join("stat")).ok()
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(stat)
        .filter(|stat| stat.contains(&own))
        .collect()
}

fn mounts() -> Vec<String> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    mounts
        .lines()
        .filter(|line| line.contains("whybox"))
        .map(str::to_owned)
        .collect()
}

fn names(root: &Path) -> BTreeSet<OsString> {
    std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect()
}

fn victim(role: &str, root: &Path) -> Process {
    let mut command: Standard = harness(role, root);
    command
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kills harnesses: one with runs in progress, and those that launch at every moment.
pub(crate) fn role_of_the_guardian(root: &Path) {
    adopt();
    let before = names(root);
    for _ in 0..if long() { 30 } else { 3 } {
        let mut first = victim("victim", root);
        let mut ready = String::new();
        BufReader::new(first.stderr.take().unwrap())
            .read_line(&mut ready)
            .unwrap();
        assert_eq!(ready, "ready\n");
        first.kill().unwrap();
        assert!(none_is_left(first) >= 3, "the runs were there");
        assert_eq!(names(root), before);
    }
    let (moments, step) = if long() { (200, 500) } else { (12, 4_000) };
    for moment in 0..moments {
        let mut first = victim("launcher", root);
        let mut ready = String::new();
        BufReader::new(first.stderr.take().unwrap())
            .read_line(&mut ready)
            .unwrap();
        std::thread::sleep(Duration::from_micros(moment * step / 2));
        first.kill().unwrap();
        none_is_left(first);
        assert_eq!(names(root), before);
        assert!(mounts().is_empty(), "{:?}", mounts());
    }
    eprintln!("clean");
}

/// Three runs whose processes do all that they can to stay.
pub(crate) fn role_of_the_victim(root: &Path) {
    let script = "trap '' HUP INT TERM PIPE USR1; (setsid sh -c 'trap \"\" TERM HUP; sleep 600 & sleep 600' &); \
                  echo up; while :; do sleep 600; done";
    let mut runs = Vec::new();
    for lifetime in [Lifetime::Run, Lifetime::Detached, Lifetime::Run] {
        let policy = system(root)
            .write(root)
            .exec(root)
            .hide("hidden")
            .lifetime(lifetime)
            .build()
            .unwrap();
        let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
        let mut run = cage
            .spawn(in_shell(root, script).stderr(Stdio::null()), &Grants::new())
            .unwrap();
        let mut line = String::new();
        BufReader::new(run.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "up\n");
        runs.push(run);
    }
    eprintln!("ready");
    loop {
        std::thread::park();
    }
}

/// One launch after another, until the end comes.
pub(crate) fn role_of_the_launcher(root: &Path) {
    let policy = system(root)
        .write(root)
        .exec(root)
        .hide("hidden")
        .build()
        .unwrap();
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations()).unwrap();
    eprintln!("ready");
    loop {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", "cat hidden/key; (sleep 600 &); exit 0"])
            .current_dir(root)
            .stderr(Stdio::null());
        cage.spawn(&mut command, &Grants::new())
            .unwrap()
            .wait()
            .unwrap();
    }
}

#[test]
fn nothing_outlives_a_killed_harness() {
    let tree = Tree::new();
    tree.file("hidden/key", "s3cret");
    assert_eq!(said(harness("guardian", tree.root())), "clean\n");
}
