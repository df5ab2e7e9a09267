//! An entry as one line of text.

use std::fmt::{self, Write};

use crate::{OrdinaryPermissions, Violation};

/// Writes the line. Each part but the reason is either free of spaces or in
/// quotes, and the reason closes the line, so two different entries cannot give
/// one line by what a confined process chose.
pub(crate) fn write(entry: &Violation, f: &mut dyn Write) -> fmt::Result {
    write!(
        f,
        "{} {} {} {}",
        entry.process,
        entry.kind.verb(),
        entry.operation,
        entry.target
    )?;
    if let Some(other) = &entry.other_target {
        write!(f, " with {other}")?;
    }
    write!(f, " ({}", entry.denied_by)?;
    if entry.ordinary_permissions == OrdinaryPermissions::Deny {
        f.write_str("; ordinary permissions refuse it too")?;
    }
    f.write_char(')')?;
    if entry.repeats > 1 {
        write!(f, ", {} times", entry.repeats)?;
    }
    Ok(())
}
