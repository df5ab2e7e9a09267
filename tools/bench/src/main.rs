//! What whybox costs: each row of work runs unconfined, in whybox and in bubblewrap, in turns, so that what else the
//! machine does falls on all of them.
//!
//! ```text
//! cargo run --release -p whybox-bench -- [--pairs N] [--root] [ROW...]
//! ```
//!
//! It reports, with the limits beside the figures; it never fails because of a figure.
#![forbid(unsafe_code)]

mod bed;
mod contender;
mod helper;
mod measure;
mod memory;
mod rows;
mod statistic;
mod table;

use std::process::ExitCode;

use clap::Parser;

/// Why a row could not be measured.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Measures whybox beside no confinement and beside bubblewrap.
#[derive(Debug, Parser)]
#[command(name = "whybox-bench")]
pub(crate) struct Args {
    /// How many times each row runs in each contender, in turns.
    #[arg(long, default_value_t = 20)]
    pairs: usize,
    /// Stay root. Without it a run by root goes on as the user of --user.
    #[arg(long)]
    root: bool,
    /// The ordinary user that a run by root goes on as.
    #[arg(long, default_value = "nobody")]
    user: String,
    /// Say what each layer adds to an open.
    #[arg(long)]
    layers: bool,
    /// Print the names of the rows.
    #[arg(long)]
    list: bool,
    /// Only these rows.
    rows: Vec<String>,
}

fn main() -> ExitCode {
    match work() {
        Ok(status) => status,
        Err(failure) => {
            eprintln!("whybox-bench: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn work() -> Result<ExitCode, Failure> {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == helper::MARK) {
        return helper::run(
            &words
                .filter_map(|word| word.into_string().ok())
                .collect::<Vec<_>>(),
        );
    }
    let args = Args::parse();
    if args.list {
        rows::ALL
            .iter()
            .for_each(|row| println!("{:8} {}", row.name, row.work));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(name) = args
        .rows
        .iter()
        .find(|name| !rows::ALL.iter().any(|row| row.name == **name))
    {
        return Err(format!("there is no row named {name}; --list prints those there are").into());
    }
    let bed = match bed::Bed::handed_over()? {
        Some(bed) => bed,
        None => {
            let bed = bed::Bed::make(&args)?;
            if let Some(status) = bed.hand_over(&args)? {
                return Ok(if status.success() {
                    ExitCode::SUCCESS
                } else {
                    ExitCode::FAILURE
                });
            }
            bed
        }
    };
    rows::run(&args, &bed)?;
    Ok(ExitCode::SUCCESS)
}
