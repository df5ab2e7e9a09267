//! What a person is told after a run.

use std::io::Write as _;
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use whybox::record::{Summary, Violations};

use crate::args::Colour;
use crate::status::Ending;

/// How many entries are shown; the report has all.
const SHOWN: usize = 20;

/// Prints it, where there is something to tell.
pub(crate) fn print(
    violations: &Violations,
    ending: Ending,
    timeout: Option<Duration>,
    colour: Colour,
) {
    let heading = AnsiColor::Red.on_default().bold();
    let aside = Style::new().dimmed();
    let mut text = String::new();
    if let (Ending::Timeout, Some(timeout)) = (ending, timeout) {
        let timeout = humantime::format_duration(timeout);
        text.push_str(&format!(
            "{heading}whybox:{heading:#} ended everything after {timeout} (--timeout)\n"
        ));
    }
    if let Some(summary) = Summary::of(violations, !ending.succeeded(), SHOWN) {
        text.push_str(&format!(
            "{heading}whybox:{heading:#} {}\n",
            summary.heading
        ));
        for entry in &summary.shown {
            text.push_str(&format!("  {entry}\n"));
        }
        for line in summary.fold_line().iter().chain(&summary.notes) {
            text.push_str(&format!("  {aside}{line}{aside:#}\n"));
        }
    }
    let choice = match colour {
        Colour::Auto => AutoStream::choice(&std::io::stderr()),
        Colour::Always => ColorChoice::Always,
        Colour::Never => ColorChoice::Never,
    };
    let mut plain_or_not = AutoStream::new(Vec::new(), choice);
    let _ = plain_or_not.write_all(text.as_bytes());
    // In one piece, and without a word where nobody reads it any more.
    let _ = std::io::stderr()
        .lock()
        .write_all(&plain_or_not.into_inner());
}
