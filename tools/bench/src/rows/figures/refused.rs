//! Refused reads.

use super::line;
use crate::bed::Bed;
use crate::contender::Contender;
use crate::helper;
use crate::measure;
use crate::rows::Row;
use crate::statistic::median;
use crate::table::{Line, interval, limit};
use crate::{Args, Failure};

/// How often the storm is measured: each takes as long as many pairs of other rows.
const STORMS: usize = 3;

/// Microseconds of one refused open.
pub(super) fn denied(row: &Row, args: &Args, bed: &Bed) -> Result<Vec<Line>, Failure> {
    let words = helper::words(
        &bed.helper(),
        &["denied", "5000", &bed.secret().to_string_lossy()],
    );
    let (mut medians, mut rare, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 0..args.pairs {
        eprint!("\r{}: {} of {}  ", row.name, turn + 1, args.pairs);
        let run = measure::run(Contender::Whybox, bed, &words)?;
        if let [median, of_hundred] = run.numbers()?.as_slice() {
            medians.push(*median);
            rare.push(*of_hundred);
        }
        cpu.push(run.cpu.as_secs_f64() * 1e6 / 5000.0);
    }
    eprintln!();
    let figure = median(&medians);
    let besides = format!(
        "99th of 100: {:.0} us; {:.1} us of user+system each",
        median(&rare).value,
        median(&cpu).value
    );
    Ok(vec![line(
        row.work,
        format!("{} us", interval(figure, 1)),
        limit(figure.value, 60.0, " us"),
        besides,
    )])
}

/// Seconds of a million.
pub(super) fn storm(row: &Row, bed: &Bed) -> Result<Vec<Line>, Failure> {
    let words = helper::words(
        &bed.helper(),
        &["storm", "1000000", "8", &bed.secret().to_string_lossy()],
    );
    let (mut seconds, mut cpu) = (Vec::new(), Vec::new());
    for turn in 0..STORMS {
        eprint!("\r{}: {} of {STORMS}  ", row.name, turn + 1);
        let run = measure::run(Contender::Whybox, bed, &words)?;
        seconds.extend(run.numbers()?);
        cpu.push(run.cpu.as_secs_f64());
    }
    eprintln!();
    let figure = median(&seconds);
    let besides = format!("{:.1} s of user+system; {STORMS} times", median(&cpu).value);
    Ok(vec![line(
        row.work,
        format!("{} s", interval(figure, 2)),
        limit(figure.value, 25.0, " s"),
        besides,
    )])
}
