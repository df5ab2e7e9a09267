//! One thing that a witness saw.

use std::sync::Arc;
use std::time::SystemTime;

use crate::{
    Class, DeniedBy, Errno, Kind, Operation, OrdinaryPermissions, Process, Target, Witness,
};

/// One thing that a witness saw. Process and reason are shared, since many events
/// have the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// What was asked for.
    pub operation: Operation,
    /// What sort of thing it is; [`Kind::Denial`] unless set.
    pub kind: Kind,
    /// What it was aimed at; of two names the one that was refused.
    pub target: Target,
    /// The other name, of a rename or a link.
    pub other_target: Option<Target>,
    /// Who asked.
    pub process: Arc<Process>,
    /// Why it was refused. Made from the policy, never from what a confined
    /// process says: the recorder keeps room for the first entries of each reason.
    pub denied_by: Arc<DeniedBy>,
    /// What the program was answered.
    pub errno: Errno,
    /// Whether ordinary permissions alone allow it.
    pub ordinary_permissions: OrdinaryPermissions,
    /// Who saw it.
    pub witness: Witness,
    /// Whether target and count are certain: the witness itself answered.
    pub exact: bool,
    /// Of a look-up beneath a hidden directory: whether the host has the name.
    pub exists: Option<bool>,
    /// When it happened.
    pub time: SystemTime,
}

impl Event {
    /// A denial that is exact, of which ordinary permissions are unknown.
    #[must_use]
    pub fn new(
        operation: Operation,
        target: Target,
        process: Arc<Process>,
        denied_by: Arc<DeniedBy>,
        errno: Errno,
        witness: Witness,
        time: SystemTime,
    ) -> Self {
        Self {
            operation,
            kind: Kind::Denial,
            target,
            other_target: None,
            process,
            denied_by,
            errno,
            ordinary_permissions: OrdinaryPermissions::Unknown,
            witness,
            exact: true,
            exists: None,
            time,
        }
    }

    /// The same of another kind.
    #[must_use]
    pub const fn with_kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// The same with the other name of a rename or a link.
    #[must_use]
    pub fn with_other_target(mut self, other: Target) -> Self {
        self.other_target = Some(other);
        self
    }

    /// The same with what ordinary permissions say.
    #[must_use]
    pub const fn with_ordinary_permissions(mut self, permissions: OrdinaryPermissions) -> Self {
        self.ordinary_permissions = permissions;
        self
    }

    /// The same, exact or not.
    #[must_use]
    pub const fn with_exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// The same with whether the host has the name.
    #[must_use]
    pub const fn with_exists(mut self, exists: bool) -> Self {
        self.exists = Some(exists);
        self
    }

    /// The class that it counts in.
    #[must_use]
    pub fn class(&self) -> Class {
        self.operation.class_on(&self.target)
    }
}
