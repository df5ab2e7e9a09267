//! What only whybox does: figures with limits of their own.

mod harness;
mod memory;
mod refused;

use super::Row;
use crate::bed::Bed;
use crate::table::Line;
use crate::{Args, Failure};

/// The columns of the table.
pub(super) const COLUMNS: [&str; 4] = ["work", "figure", "limit", "besides"];

/// A row, or several that are measured together.
#[derive(Clone, Copy, Debug)]
pub(super) enum Figure {
    Harness,
    Denied,
    Storm,
    Memory,
}

impl Figure {
    /// Measures.
    pub(super) fn lines(self, row: &Row, args: &Args, bed: &Bed) -> Result<Vec<Line>, Failure> {
        match self {
            Figure::Harness => harness::lines(row, args, bed),
            Figure::Denied => refused::denied(row, args, bed),
            Figure::Storm => refused::storm(row, bed),
            Figure::Memory => memory::lines(bed),
        }
    }
}

/// A row of this table.
fn line(work: impl Into<String>, figure: String, limit: String, besides: String) -> Line {
    Line {
        work: work.into(),
        cells: vec![figure, limit, besides],
    }
}
