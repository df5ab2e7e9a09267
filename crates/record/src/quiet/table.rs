//! The items of the quiet list.

use super::Item;

/// The version of the list. It changes whenever an item does.
pub const VERSION: u32 = 1;

/// The items.
pub const ITEMS: &[Item] = &[];
