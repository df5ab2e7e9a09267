//! The command line of the oracle.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::collections::HashMap;
use std::env;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;
use whybox_oracle::attempt::{Attempt, Place};
use whybox_oracle::bed::Bed;
use whybox_oracle::judge::{Explanation, Host, Verdict, judge};
use whybox_oracle::print;
use whybox_oracle::replay::replay;
use whybox_oracle::run::run;
use whybox_oracle::workloads::{WORKLOADS, Workload};

/// Hold the record of whybox to what strace sees from outside the cage
///
/// Ends with 0 when every failing read is recorded or explained and every entry is true, with 1 otherwise.
#[derive(Debug, Parser)]
#[command(name = "whybox-oracle")]
struct Arguments {
    /// Also run the long workloads
    #[arg(long)]
    long: bool,
    /// The whybox to examine [default: the one beside this program; cargo run builds it first]
    #[arg(long, value_name = "PATH")]
    whybox: Option<PathBuf>,
    /// Only workloads whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Leave the test bed with traces and reports where it is
    #[arg(long)]
    keep: bool,
}

fn main() -> ExitCode {
    match examine(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("whybox-oracle: {error}");
            ExitCode::FAILURE
        }
    }
}

fn examine(arguments: &Arguments) -> Result<bool, String> {
    let whybox = whybox(arguments.whybox.as_deref())?;
    let bed = Bed::new(arguments.keep)
        .map_err(|error| format!("cannot make the test bed in /var/tmp: {error}"))?;
    println!("{} on {}", whybox.display(), bed.root().display());
    println!("{}", print::head());
    let host = Asked::default();
    let mut total = Verdict::default();
    let (mut ran, mut failed) = (0, 0);
    let only = arguments.only.as_deref().unwrap_or_default();
    for workload in WORKLOADS {
        if (workload.long && !arguments.long && only.is_empty()) || !workload.name.contains(only) {
            continue;
        }
        if let Some(missing) = missing(workload) {
            println!("{:<34} left out: there is no {missing} here", workload.name);
            continue;
        }
        // Without the quiet list what it silenced must be told: shown where it silenced something.
        let mut silenced = arguments.long;
        for quiet in [true, false] {
            if !quiet && !silenced {
                continue;
            }
            let name = format!("{}{}", workload.name, if quiet { "" } else { ", loud" });
            ran += 1;
            match run(workload, &bed, &whybox, quiet) {
                Ok(found) => {
                    let complete = found.report.complete && !found.attempts.processes.is_empty();
                    let entries = found.report.into_violations().into_entries();
                    let verdict = judge(&found.attempts, &entries, &host, quiet);
                    println!("{}", print::row(&name, &verdict));
                    print!("{}", print::differences(&verdict));
                    if !complete {
                        println!(
                            "  the record is not complete, or the trace shows no process of the cage"
                        );
                    }
                    failed += usize::from(!complete || !verdict.differences.is_empty());
                    silenced |= verdict
                        .explained
                        .keys()
                        .any(|why| matches!(why, Explanation::Quiet(_)));
                    total.add(&verdict);
                }
                Err(error) => {
                    println!("{name:<34} not judged: {error}");
                    failed += 1;
                }
            }
        }
    }
    print!("{}", print::summary(&total));
    let all = total.total();
    println!(
        "\n{ran} runs, {failed} with differences; recall {} % of {} refused calls, precision {} % of {} recorded refusals",
        all.recall(),
        all.matched + all.missed,
        all.precision(),
        all.recorded
    );
    Ok(failed == 0 && ran > 0)
}

/// The program to examine. Under `cargo run` it is brought up to date first.
fn whybox(given: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(given) = given {
        return std::path::absolute(given)
            .map_err(|error| format!("cannot use {}: {error}", given.display()));
    }
    let own = env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    if let Some(cargo) = env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "-p", "whybox-cli"]);
        build.args(
            own.parent()
                .is_some_and(|parent| parent.ends_with("release"))
                .then_some("--release"),
        );
        match build.status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("cannot build whybox: cargo ended with {status}")),
            Err(error) => return Err(format!("cannot build whybox: {error}")),
        }
    }
    let beside = own.with_file_name("whybox");
    if beside.exists() {
        Ok(beside)
    } else {
        Err(format!(
            "there is no {}; build it, or name one with --whybox",
            beside.display()
        ))
    }
}

/// The first program that a workload needs and PATH does not lead to.
fn missing(workload: &Workload) -> Option<&'static str> {
    let path = env::var_os("PATH").unwrap_or_default();
    let there =
        |program: &str| env::split_paths(&path).any(|directory| directory.join(program).is_file());
    workload
        .needs
        .iter()
        .copied()
        .find(|program| !there(program))
}

/// Asks the host, each question once.
#[derive(Default)]
struct Asked {
    answers: RefCell<HashMap<String, Result<(), String>>>,
}

impl Host for Asked {
    fn answer(&self, attempt: &Attempt, place: &Place) -> Result<(), String> {
        let question = format!(
            "{} {:?} {place:?}",
            attempt.call.name, attempt.call.arguments
        );
        let mut answers = self.answers.borrow_mut();
        let answer = answers.entry(question).or_insert_with(|| {
            replay(attempt, place).map_err(|errno| {
                let errno = whybox_record::Errno::from_raw(errno.raw_os_error());
                errno.name().unwrap_or("an unknown error").to_owned()
            })
        });
        answer.clone()
    }
    fn is_script(&self, path: &Path) -> bool {
        let mut start = [0; 2];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
        read.is_ok() && start == *b"#!"
    }
}
