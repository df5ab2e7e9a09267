//! Harnesses: processes that start cages by the library.

use std::io::{self, BufRead as _};
use std::thread;
use std::time::{Duration, Instant};

use whybox::{Cage, CageOptions, Child, Command, Context, Grants, Policy, Stdio};

use crate::Failure;
use crate::memory::private;

/// What is started and ended.
const PROGRAM: &str = "/usr/bin/true";

/// For each line of the input, starts `true` in a cage, waits for it, and prints the nanoseconds. The harness has so
/// much memory touched and so many threads waiting.
pub(super) fn serve(mebibytes: usize, threads: usize, own: bool) -> Result<(), Failure> {
    let memory = vec![1_u8; mebibytes << 20];
    for _ in 0..threads {
        thread::spawn(|| thread::sleep(Duration::MAX));
    }
    let cage = cage()?;
    println!("ready");
    for line in io::stdin().lock().lines() {
        line?;
        let start = Instant::now();
        let mut child = if own {
            cage.spawn(&mut Command::new(PROGRAM), &Grants::new())?
        } else {
            cage.spawn(&mut std::process::Command::new(PROGRAM), &Grants::new())?
        };
        let status = child.wait()?;
        let taken = start.elapsed();
        if !status.success() {
            return Err(format!("{PROGRAM} ended with {status}").into());
        }
        drop(child);
        println!("{}", taken.as_nanos());
    }
    std::hint::black_box(memory);
    Ok(())
}

/// Prints the private KiB of this process without a cage, with one, and with `count` whose commands wait.
pub(super) fn idle(count: usize) -> Result<(), Failure> {
    let cage = cage()?;
    let without = private(std::process::id())?;
    let mut children = vec![sleeper(&cage)?];
    let one = private(std::process::id())?;
    while children.len() < count {
        children.push(sleeper(&cage)?);
    }
    println!("{without} {one} {}", private(std::process::id())?);
    Ok(())
}

fn sleeper(cage: &Cage) -> Result<Child, Failure> {
    let mut command = Command::new("/usr/bin/sleep");
    command.arg("600").stdout(Stdio::null());
    Ok(cage.spawn(&mut command, &Grants::new())?)
}

/// The default preset, reporting on.
fn cage() -> Result<Cage, Failure> {
    let policy = Policy::preset("agent", &Context::from_process()?)?;
    Ok(Cage::with_options(
        &policy,
        &CageOptions::default().with_violations(),
    )?)
}
