//! The quiet list (V6): probes that every program makes, which are refused without
//! an entry.

mod table;

use crate::Operation;

pub use table::{ITEMS, VERSION};

/// One item of the quiet list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item {
    /// The name of the item.
    pub id: &'static str,
    /// The operations that it is about.
    pub operations: &'static [Operation],
    /// The paths that it is about.
    pub paths: &'static [&'static str],
    /// The program that needs it.
    pub program: &'static str,
    /// Why the program asks, and gets along without.
    pub why: &'static str,
}

/// The item that silences an operation on a path, if one does.
///
/// ```
/// use whybox_record::{Operation, quiet};
/// assert!(quiet::find(Operation::FileReadData, b"/home/u/.env").is_none());
/// ```
#[must_use]
pub fn find(operation: Operation, path: &[u8]) -> Option<&'static Item> {
    ITEMS.iter().find(|item| {
        item.operations.contains(&operation) && item.paths.iter().any(|p| p.as_bytes() == path)
    })
}
