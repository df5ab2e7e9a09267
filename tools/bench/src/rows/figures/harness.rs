//! Starts from a large harness beside starts from a small one.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Stdio};

use super::line;
use crate::bed::Bed;
use crate::contender::Contender;
use crate::helper;
use crate::rows::Row;
use crate::statistic::{difference, median};
use crate::table::{Line, interval, limit};
use crate::{Args, Failure};

/// A harness that starts one cage each time it is asked to.
struct Harness {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Harness {
    fn new(bed: &Bed, mebibytes: &str, threads: &str, command: &str) -> Result<Harness, Failure> {
        let words = helper::words(&bed.helper(), &["harness", mebibytes, threads, command]);
        let mut command = Contender::Unconfined.command(bed, &words);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let answers = BufReader::new(child.stdout.take().ok_or("the harness has no output")?);
        let mut harness = Harness { child, answers };
        harness.answer()?;
        Ok(harness)
    }

    fn answer(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(format!("a harness ended with {}", self.child.wait()?).into());
        }
        Ok(line.trim().to_owned())
    }

    /// Milliseconds of one start and end.
    fn start(&mut self) -> Result<f64, Failure> {
        self.child
            .stdin
            .as_mut()
            .ok_or("the harness has no input")?
            .write_all(b"\n")?;
        Ok(self.answer()?.parse::<f64>()? / 1e6)
    }

    fn end(mut self) -> Result<(), Failure> {
        drop(self.child.stdin.take());
        self.child.wait()?;
        Ok(())
    }
}

/// The library's own command, and the standard one, which forks the harness.
pub(super) fn lines(row: &Row, args: &Args, bed: &Bed) -> Result<Vec<Line>, Failure> {
    let mut lines = Vec::new();
    for (command, name) in [("own", "own `Command`"), ("std", "`std::process::Command`")] {
        let (mut large, mut small) = (
            Harness::new(bed, "2048", "64", command)?,
            Harness::new(bed, "0", "0", command)?,
        );
        let (mut of_large, mut of_small) = (Vec::new(), Vec::new());
        // The first start of a harness starts its supervisor, too.
        large.start()?;
        small.start()?;
        for pair in 0..args.pairs * 3 {
            eprint!(
                "\r{} ({command}): {} of {}  ",
                row.name,
                pair + 1,
                args.pairs * 3
            );
            if pair % 2 == 0 {
                of_large.push(large.start()?);
                of_small.push(small.start()?);
            } else {
                of_small.push(small.start()?);
                of_large.push(large.start()?);
            }
        }
        eprintln!();
        large.end()?;
        small.end()?;
        let figure = difference(&of_large, &of_small);
        let kept = if command == "own" {
            limit(figure.value, 1.0, " ms more")
        } else {
            "none".into()
        };
        let besides = format!(
            "{:.2} ms, from a small one {:.2} ms",
            median(&of_large).value,
            median(&of_small).value
        );
        lines.push(line(
            format!("{}, {name}", row.work),
            format!("{} ms more", interval(figure, 2)),
            kept,
            besides,
        ));
    }
    Ok(lines)
}
