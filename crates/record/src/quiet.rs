//! The quiet list (V6): probes that every program makes and gets along without,
//! which are refused without an entry.
//!
//! The list is data, with a version. It names system paths only, so it cannot
//! silence a file of a user: a path stands for itself, and the few subtrees hold what
//! the kernel or the system's packages put there. What decides whether a program
//! works, such as the list of users, is not on it.

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
    /// The absolute paths that it is about. One that ends in `/**` is that
    /// directory and everything beneath it.
    pub paths: &'static [&'static str],
    /// A program that needs the item.
    pub program: &'static str,
    /// What the program asks for, and why it gets along without.
    pub why: &'static str,
}

impl Item {
    fn is_about(&self, path: &[u8]) -> bool {
        self.paths
            .iter()
            .any(|pattern| match pattern.strip_suffix("/**") {
                Some(top) => path
                    .strip_prefix(top.as_bytes())
                    .is_some_and(|rest| matches!(rest.first(), None | Some(b'/'))),
                None => pattern.as_bytes() == path,
            })
    }
}

/// The item that silences an operation on a path, if one does. The path is
/// absolute and has no `.`, `..` or doubled slash.
///
/// ```
/// use whybox_record::{Operation, quiet};
/// let item = quiet::find(Operation::FileReadData, b"/sys/fs/cgroup/cpu.max").unwrap();
/// assert_eq!(item.id, "cgroup-limits");
/// assert!(quiet::find(Operation::FileReadData, b"/home/u/.env").is_none());
/// ```
#[must_use]
pub fn find(operation: Operation, path: &[u8]) -> Option<&'static Item> {
    // What has a step upwards may lead anywhere.
    let steps = path.split(|byte| *byte == b'/');
    if steps.clone().any(|step| step == b"..") {
        return None;
    }
    ITEMS
        .iter()
        .find(|item| item.operations.contains(&operation) && item.is_about(path))
}
