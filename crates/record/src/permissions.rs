//! What would have happened without the sandbox.

use crate::named::named;

named! {
    /// Whether the user's ordinary permissions alone allow the operation (X3).
    ///
    /// The order is from what excuses the sandbox to what does not: where
    /// identical events differ, an entry keeps the greatest.
    pub enum OrdinaryPermissions: "ordinary permission" {
        /// They refuse it too: a grant would not help.
        Deny = "deny",
        /// It is not known.
        Unknown = "unknown",
        /// They allow it: only the sandbox refused.
        Allow = "allow",
    }
}
