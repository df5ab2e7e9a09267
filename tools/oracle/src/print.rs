//! Telling what was found.

use std::fmt::Write;

use whybox_record::text;

use crate::attempt::Attempt;
use crate::judge::{Difference, Explanation, Verdict};

/// Differences that are shown of one run.
const SHOWN: usize = 12;

/// One line for a workload.
#[must_use]
pub fn row(name: &str, verdict: &Verdict) -> String {
    let total = verdict.total();
    let explained: u64 = verdict.explained.values().sum();
    format!(
        "{name:<34} {:>7} {:>7} {:>7} {:>6} {:>7}% {:>9}%  {}",
        verdict.failing,
        total.matched,
        explained + verdict.beside,
        total.missed,
        total.recall(),
        total.precision(),
        if verdict.differences.is_empty() {
            ""
        } else {
            "DIFFERENCES"
        },
    )
}

/// The head over those lines.
#[must_use]
pub fn head() -> String {
    format!(
        "{:<34} {:>7} {:>7} {:>7} {:>6} {:>8} {:>10}",
        "workload", "failing", "entered", "explain", "missed", "recall", "precision"
    )
}

/// The numbers per operation, and the explanations, each with an example.
#[must_use]
pub fn summary(verdict: &Verdict) -> String {
    let mut out = format!(
        "\n{:<26} {:>7} {:>7} {:>8} {:>9} {:>8} {:>10}\n",
        "operation", "calls", "missed", "recorded", "supported", "recall", "precision"
    );
    // Writing to a string cannot fail.
    for (operation, tally) in &verdict.operations {
        let _ = writeln!(
            out,
            "{:<26} {:>7} {:>7} {:>8} {:>9} {:>7}% {:>9}%",
            operation.as_str(),
            tally.matched + tally.missed,
            tally.missed,
            tally.recorded,
            tally.supported,
            tally.recall(),
            tally.precision()
        );
    }
    let _ = writeln!(
        out,
        "\nfailing calls without an entry, and why none is owed:"
    );
    for (explanation, count) in &verdict.explained {
        let example = verdict
            .examples
            .get(explanation)
            .map(attempt)
            .unwrap_or_default();
        let _ = writeln!(out, "{count:>8}  {}; such as {example}", words(explanation));
    }
    let _ = writeln!(
        out,
        "{:>8}  wanted to write: every entry about one is held to be true, none is owed yet",
        verdict.beside
    );
    if verdict.made_over_shadow > 0 {
        let _ = writeln!(
            out,
            "{:>8}  calls succeeded on a name of the own /tmp that the host's /tmp has too",
            verdict.made_over_shadow
        );
    }
    out
}

fn words(explanation: &Explanation) -> String {
    match explanation {
        Explanation::Ordinary => "ordinary permissions: the same fails without a cage".to_owned(),
        Explanation::Quiet(id) => format!("quiet list: {id}"),
        Explanation::NoRefusal(why) => format!("no refusal: {why}"),
        Explanation::NotObserved(what) => format!("{what}: coverage says that it is not observed"),
    }
}

/// The differences of a run, the first few.
#[must_use]
pub fn differences(verdict: &Verdict) -> String {
    let mut out = String::new();
    let mut shown: Vec<&Difference> = verdict.differences.iter().collect();
    shown.sort_by_key(|difference| !matches!(difference, Difference::Missed(_)));
    for difference in shown.into_iter().take(SHOWN) {
        let _ = match difference {
            Difference::Missed(call) => writeln!(out, "  missed: {}", attempt(call)),
            Difference::Invented(entry) => {
                writeln!(out, "  no such call: {entry} [{}]", entry.errno)
            }
            Difference::Count {
                entry,
                recorded,
                found,
            } => {
                writeln!(
                    out,
                    "  recorded {recorded} times, called {found} times: {entry}"
                )
            }
            Difference::Parent(entry, parent) => {
                writeln!(
                    out,
                    "  made by {parent}, and the entry says {}: {entry}",
                    entry.process.ppid()
                )
            }
            Difference::Program(entry, program) => writeln!(
                out,
                "  executed {}, and the entry says {}: {entry}",
                text::quote(program.as_os_str().as_encoded_bytes()),
                text::quote(entry.process.exe().unwrap_or_default())
            ),
            Difference::Permissions(entry, truth) => writeln!(
                out,
                "  ordinary permissions {truth}, and the entry says {}: {entry}",
                entry.ordinary_permissions
            ),
        };
    }
    if let Some(more) = verdict
        .differences
        .len()
        .checked_sub(SHOWN)
        .filter(|more| *more > 0)
    {
        let _ = writeln!(out, "  and {more} more");
    }
    out
}

/// A call on one line. Its names are hostile.
fn attempt(attempt: &Attempt) -> String {
    let paths: Vec<String> = attempt
        .paths
        .iter()
        .map(|place| text::quote(place.walk.end.as_os_str().as_encoded_bytes()).into_owned())
        .collect();
    format!(
        "{}[{}] {} {}: {}",
        text::quote(&attempt.comm),
        attempt.process,
        attempt.call.name,
        paths.join(" "),
        attempt.errno().unwrap_or("succeeded")
    )
}
