//! Work that each contender does.

use std::time::Duration;

use super::{Row, data};
use crate::bed::Bed;
use crate::contender::{self, Contender};
use crate::measure::{self, Run};
use crate::statistic::{median, ratio};
use crate::table::{Line, interval, limit};
use crate::{Args, Failure};

/// The columns of the table.
pub(super) const COLUMNS: [&str; 7] = [
    "work",
    "unconfined, ms",
    "whybox / unconfined",
    "limit",
    "bubblewrap / unconfined",
    "whybox / bubblewrap",
    "user+system ms: unconfined, whybox",
];

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratio {
    work: Work,
    limit: f64,
    /// Whether the limit is one of the quotient to bubblewrap.
    to_bubblewrap: bool,
    /// How many pairs are measured for each that was asked for: many of what is short.
    times: usize,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    True,
    Opens,
    Cat,
    Rg,
    Python,
}

impl Ratio {
    /// A row whose limit is one of the quotient to unconfined.
    pub(super) const fn new(work: Work, limit: f64) -> Ratio {
        Ratio {
            work,
            limit,
            to_bubblewrap: false,
            times: 1,
        }
    }

    /// A row whose limit is one of the quotient to bubblewrap.
    pub(super) const fn to_bubblewrap(work: Work, limit: f64, times: usize) -> Ratio {
        Ratio {
            work,
            limit,
            to_bubblewrap: true,
            times,
        }
    }

    /// Measures.
    pub(super) fn lines(self, row: &Row, args: &Args, bed: &Bed) -> Result<Vec<Line>, Failure> {
        let words = data::words(self.work, bed)?;
        let here: Vec<Contender> = contender::ALL
            .into_iter()
            .filter(|contender| contender.is_here())
            .collect();
        let mut wall = [const { Vec::new() }; 3];
        let mut cpu = [const { Vec::new() }; 3];
        let expected = measure::run(Contender::Unconfined, bed, &words)?.status;
        for pair in 0..args.pairs * self.times {
            eprint!(
                "\r{}: {} of {}  ",
                row.name,
                pair + 1,
                args.pairs * self.times
            );
            // Who comes first changes from pair to pair.
            for turn in 0..here.len() {
                let Some(&contender) = here.get((pair + turn) % here.len()) else {
                    continue;
                };
                let run = measure::run(contender, bed, &words)?;
                if run.status != expected {
                    return Err(format!(
                        "{contender:?} ended with {:?}, not {expected:?}",
                        run.status
                    )
                    .into());
                }
                if let (Some(wall), Some(cpu)) = (
                    wall.get_mut(contender as usize),
                    cpu.get_mut(contender as usize),
                ) {
                    wall.push(self.value(&run)?);
                    cpu.push(milliseconds(run.cpu));
                }
            }
        }
        eprintln!();
        let [unconfined, whybox, bubblewrap] = &wall;
        let [alone, confined, _] = &cpu;
        let (own, other) = (ratio(whybox, unconfined), ratio(whybox, bubblewrap));
        let judged = if self.to_bubblewrap { other } else { own };
        let suffix = if self.to_bubblewrap {
            " x bubblewrap"
        } else {
            ""
        };
        Ok(vec![Line {
            work: row.work.into(),
            cells: vec![
                format!("{:.2}", median(unconfined).value),
                interval(own, 3),
                limit(judged.value, self.limit, suffix),
                interval(ratio(bubblewrap, unconfined), 3),
                interval(other, 3),
                // bubblewrap does not wait for its PID 1, so that what the work used there is not known.
                format!("{:.1}, {:.1}", median(alone).value, median(confined).value),
            ],
        }])
    }

    /// The milliseconds to compare: loops tell their own.
    fn value(self, run: &Run) -> Result<f64, Failure> {
        match self.work {
            Work::Opens => Ok(run.numbers()?.first().copied().unwrap_or(f64::NAN) / 1e6),
            _ => Ok(milliseconds(run.wall)),
        }
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
