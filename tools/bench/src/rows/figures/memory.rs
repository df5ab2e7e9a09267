//! What the process that supervises has in memory.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::line;
use crate::Failure;
use crate::bed::Bed;
use crate::contender::Contender;
use crate::helper;
use crate::measure;
use crate::memory::{private, resident};
use crate::table::{Line, limit};

/// How many cages idle.
const CAGES: u32 = 64;

/// How many files one run is refused, so that its record is not empty.
const NAMES: u32 = 1000;

/// One run, after a thousand denials of different names; and idle cages.
pub(super) fn lines(bed: &Bed) -> Result<Vec<Line>, Failure> {
    let names = bed.home().join("secrets");
    fs::create_dir_all(&names)?;
    (0..NAMES).try_for_each(|number| fs::write(names.join(number.to_string()), ""))?;
    let words = helper::words(
        &bed.helper(),
        &["names", &NAMES.to_string(), &names.to_string_lossy()],
    );
    let mut command = Contender::Whybox.command(bed, &words);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().ok_or("the run has no output")?;
    let mut ready = String::new();
    BufReader::new(output).read_line(&mut ready)?;
    let (own, all) = (private(child.id()), resident(child.id()));
    drop(child.stdin.take());
    child.wait()?;
    if ready.trim() != "ready" {
        return Err("the run failed".into());
    }
    let (own, all) = (own? / 1024.0, all? / 1024.0);
    let one = line(
        "memory of the supervisor of one run, 1,000 denials of different names",
        format!("{own:.2} MiB private"),
        limit(own, 8.0, " MiB"),
        format!("{all:.2} MiB resident, program file included"),
    );

    let idle = measure::run(
        Contender::Unconfined,
        bed,
        &helper::words(&bed.helper(), &["idle", &CAGES.to_string()]),
    )?;
    let [without, first, every] = *idle.numbers()?.as_slice() else {
        return Err("the harness of idle cages printed something else".into());
    };
    let each = (every - without) / f64::from(CAGES);
    let besides = format!(
        "private; of {without:.0} KiB without cages, the first added {:.0} KiB",
        first - without
    );
    Ok(vec![
        one,
        line(
            format!("the same for each of {CAGES} idle cages"),
            format!("{each:.0} KiB"),
            limit(each, 300.0, " KiB"),
            besides,
        ),
    ])
}
