//! The tables in Markdown.

use crate::statistic::Median;

/// A row of ratios.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// What was done.
    pub(crate) work: String,
    /// The cells behind it.
    pub(crate) cells: Vec<String>,
}

/// Prints the head of a table.
pub(crate) fn head(names: &[&str]) {
    println!("\n| {} |", names.join(" | "));
    println!("|{}|", vec!["---"; names.len()].join("|"));
}

/// Prints a row.
pub(crate) fn line(line: &Line) {
    println!(
        "| {} | {} |",
        line.work.replace('|', "\\|"),
        line.cells.join(" | ")
    );
}

/// A median with its interval.
pub(crate) fn interval(median: Median, digits: usize) -> String {
    format!(
        "{:.digits$} [{:.digits$}, {:.digits$}]",
        median.value, median.low, median.high
    )
}

/// A limit, and whether the figure keeps it.
pub(crate) fn limit(value: f64, limit: f64, unit: &str) -> String {
    format!(
        "{limit}{unit} {}",
        if value <= limit { "ok" } else { "**missed**" }
    )
}
