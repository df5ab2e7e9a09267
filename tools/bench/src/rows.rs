//! The rows of the tables.

mod data;
mod figures;
mod ratios;

use std::ffi::OsString;

use crate::bed::Bed;
use crate::contender::{self, Contender};
use crate::table;
use crate::{Args, Failure};

/// A row: its name on the command line, and what is done.
#[derive(Debug)]
pub(crate) struct Row {
    /// The name.
    pub(crate) name: &'static str,
    /// What is done.
    pub(crate) work: &'static str,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// One that every contender does.
    Ratio(ratios::Ratio),
    /// One that only whybox does.
    Figure(figures::Figure),
}

use figures::Figure;
use ratios::{Ratio, Work};

/// All rows.
pub(crate) static ALL: [Row; 9] = [
    row(
        "true",
        "start and end of `true`",
        Kind::Ratio(Ratio::to_bubblewrap(Work::True, 1.0, 5)),
    ),
    row(
        "opens",
        "200,000 open+close of a granted file",
        Kind::Ratio(Ratio::new(Work::Opens, 1.15)),
    ),
    row(
        "cat",
        "`find /usr -type f | head -20000 | xargs cat`",
        Kind::Ratio(Ratio::new(Work::Cat, 1.05)),
    ),
    row(
        "rg",
        "`rg` over 20,000 files",
        Kind::Ratio(Ratio::new(Work::Rg, 1.05)),
    ),
    row(
        "python",
        "50 starts of python with ten imports",
        Kind::Ratio(Ratio::new(Work::Python, 1.05)),
    ),
    row(
        "harness",
        "`true` from a harness with 2 GiB and 64 threads",
        Kind::Figure(Figure::Harness),
    ),
    row("denied", "a denied read", Kind::Figure(Figure::Denied)),
    row(
        "storm",
        "1,000,000 denied reads from 8 processes",
        Kind::Figure(Figure::Storm),
    ),
    row(
        "memory",
        "memory of the supervisor",
        Kind::Figure(Figure::Memory),
    ),
];

const fn row(name: &'static str, work: &'static str, kind: Kind) -> Row {
    Row { name, work, kind }
}

/// Measures the rows that were asked for, and prints them as they come.
pub(crate) fn run(args: &Args, bed: &Bed) -> Result<(), Failure> {
    let who = if nix::unistd::geteuid().is_root() {
        "root"
    } else {
        "an ordinary user"
    };
    println!(
        "Run as {who} (uid {}), {} pairs.",
        nix::unistd::geteuid(),
        args.pairs
    );
    println!("Medians; in brackets the 95 % interval of the median's order statistics.");
    if args.layers {
        println!(
            "\nLayers: on are always the ghost, Landlock and the seccomp filter; a cage with fewer cannot be had."
        );
    }
    let wanted = |row: &&Row| args.rows.is_empty() || args.rows.iter().any(|name| name == row.name);
    let mut ratios = ALL
        .iter()
        .filter(wanted)
        .filter_map(|row| match &row.kind {
            Kind::Ratio(ratio) => Some((row, ratio)),
            Kind::Figure(_) => None,
        })
        .peekable();
    if ratios.peek().is_some() {
        table::head(&ratios::COLUMNS);
    }
    for (row, ratio) in ratios {
        print(row, ratio.lines(row, args, bed));
    }
    let mut figures = ALL
        .iter()
        .filter(wanted)
        .filter_map(|row| match &row.kind {
            Kind::Figure(figure) => Some((row, figure)),
            Kind::Ratio(_) => None,
        })
        .peekable();
    if figures.peek().is_some() {
        table::head(&figures::COLUMNS);
    }
    for (row, figure) in figures {
        print(row, figure.lines(row, args, bed));
    }
    println!("\nThe commands, each in the working directory of the measurement:\n");
    for contender in [Contender::Whybox, Contender::Bubblewrap] {
        let line = contender.line(bed, &["COMMAND".into()]);
        println!("- `{}`", line.join(&OsString::from(" ")).to_string_lossy());
    }
    if !contender::ALL.iter().all(|contender| contender.is_here()) {
        println!("\nbubblewrap is not installed: its columns are empty.");
    }
    Ok(())
}

/// A row that cannot be measured says why; the others go on.
fn print(row: &Row, lines: Result<Vec<table::Line>, Failure>) {
    match lines {
        Ok(lines) => lines.iter().for_each(table::line),
        Err(failure) => table::line(&table::Line {
            work: row.work.into(),
            cells: vec![format!("not measured: {failure}")],
        }),
    }
}
