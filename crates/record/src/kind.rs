//! What sort of thing an entry is.

use crate::named::named;

named! {
    /// What sort of thing an entry is. Only [`Kind::Denial`] is a refusal that
    /// the program certainly met.
    pub enum Kind: "kind" {
        /// The operation was asked for and refused.
        Denial = "denial",
        /// The name exists on the host, but the cage has its own directory in that
        /// place. Creating the name succeeds.
        Shadowed = "shadowed",
        /// A rule makes the name absent: the program was told that it does not
        /// exist.
        Absent = "absent",
        /// The program only asked whether it may, and was told that it may not.
        AccessCheck = "access-check",
        /// Refused in a way that programs expect and get along with, such as a
        /// system call that an older kernel would not have.
        Probe = "probe",
        /// Refused because the sandbox could not examine it.
        NotExamined = "not-examined",
        /// A hidden or protected name was replaced on the host, and for a moment
        /// was not masked.
        MaskGap = "mask-gap",
        /// A name that must not exist was found at the end of the run and undone.
        Swept = "swept",
    }
}

impl Kind {
    /// The words between process and operation in an entry's line.
    #[must_use]
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Denial => "refused",
            Self::Shadowed => "shadowed",
            Self::Absent => "withheld",
            Self::AccessCheck => "would be refused",
            Self::Probe => "probed",
            Self::NotExamined => "refused unexamined",
            Self::MaskGap => "uncovered",
            Self::Swept => "swept",
        }
    }
}
