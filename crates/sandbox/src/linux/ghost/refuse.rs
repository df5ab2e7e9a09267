//! Refusing: the entry first, then the error.

use std::time::SystemTime;

use rustix::fs::{Access as Ask, AtFlags, CWD};
use rustix::io::Errno;
use whybox_policy::Access;
use whybox_record::{
    DeniedByKind, Errno as Told, Event, Kind, Operation, OrdinaryPermissions, Target, Witness,
};

use super::Ghost;
use super::call::{Call, Common, Stop, Unanswered};
use super::view::{as_path, parent};
use super::watch::Note;

/// Something that is refused.
#[derive(Debug)]
pub(super) struct Refusal<'a> {
    pub(super) operation: Operation,
    /// What the policy is asked.
    pub(super) access: Access,
    pub(super) kind: Kind,
    pub(super) path: &'a [u8],
    pub(super) other: Option<&'a [u8]>,
    pub(super) exists: Option<bool>,
    /// What ordinary permissions say, when that is known already.
    pub(super) ordinary: Option<OrdinaryPermissions>,
}

impl<'a> Refusal<'a> {
    /// A plain denial.
    pub(super) const fn denial(operation: Operation, access: Access, path: &'a [u8]) -> Self {
        Self {
            operation,
            access,
            kind: Kind::Denial,
            path,
            other: None,
            exists: None,
            ordinary: None,
        }
    }
}

impl Call<'_> {
    /// Records a refusal. Gives what to answer, in both arms.
    pub(super) fn refuse(&self, refusal: &Refusal<'_>) -> Result<Stop, Stop> {
        let ghost = self.ghost;
        if ghost.is_quiet(refusal.operation, refusal.path) {
            return Ok(Errno::ACCESS.into());
        }
        let ordinary = match refusal.ordinary {
            Some(known) => known,
            None => self.ordinary(refusal.operation, refusal.path)?,
        };
        let decision = ghost
            .view
            .decider
            .decide(refusal.access, as_path(refusal.path));
        let told = match refusal.kind {
            Kind::Absent | Kind::Shadowed => Told::ENOENT,
            _ => Told::EACCES,
        };
        let mut event = Event::new(
            refusal.operation,
            Target::path(refusal.path),
            self.common.processes.of_thread(self.header.thread),
            ghost.reasons.of(&decision),
            told,
            Witness::Ghost,
            SystemTime::now(),
        )
        .with_kind(refusal.kind)
        .with_ordinary_permissions(ordinary);
        if let Some(other) = refusal.other {
            event = event.with_other_target(Target::path(other));
        }
        if let Some(exists) = refusal.exists {
            event = event.with_exists(exists);
        }
        ghost.sink.record(event);
        Ok(Errno::ACCESS.into())
    }

    /// Refuses what the host was not asked about.
    pub(super) fn not_examined(&self, operation: Operation, path: &[u8]) -> Stop {
        self.ghost
            .record_unexamined(self.common, self.header.thread, operation, path);
        Errno::ACCESS.into()
    }

    /// What to answer when the host did not: its own error as it is, which is
    /// no refusal of the cage.
    pub(super) fn pass_on(
        &self,
        unanswered: Unanswered,
        operation: Operation,
        path: &[u8],
    ) -> Stop {
        match unanswered {
            Unanswered::Errno(errno) => errno.into(),
            Unanswered::NotExamined => self.not_examined(operation, path),
            Unanswered::Overdue => Stop::Overdue,
        }
    }

    /// Whether the host has a name, and whether it tells its user.
    pub(super) fn existence(
        &self,
        path: &[u8],
    ) -> Result<(Option<bool>, OrdinaryPermissions), Stop> {
        match self.stat(Operation::FileLookup, path) {
            Ok(_) => Ok((Some(true), OrdinaryPermissions::Allow)),
            Err(Unanswered::Errno(Errno::NOENT | Errno::NOTDIR)) => {
                Ok((Some(false), OrdinaryPermissions::Allow))
            }
            Err(Unanswered::Errno(Errno::ACCESS)) => Ok((None, OrdinaryPermissions::Deny)),
            Err(Unanswered::Errno(_) | Unanswered::NotExamined) => {
                Ok((None, OrdinaryPermissions::Unknown))
            }
            Err(Unanswered::Overdue) => Err(Stop::Overdue),
        }
    }

    /// Whether the user of the harness, who is the user of the cage, could do
    /// it without the cage (X3).
    fn ordinary(&self, operation: Operation, path: &[u8]) -> Result<OrdinaryPermissions, Stop> {
        let answer = match operation {
            Operation::FileReadData => self.may(operation, path, Ask::READ_OK),
            Operation::FileWriteData | Operation::FileWriteXattr => {
                self.may(operation, path, Ask::WRITE_OK)
            }
            Operation::ProcessExec | Operation::FileLookup => {
                self.may(operation, path, Ask::EXEC_OK)
            }
            Operation::FileWriteCreate | Operation::FileWriteUnlink => {
                self.may(operation, parent(path), Ask::WRITE_OK | Ask::EXEC_OK)
            }
            Operation::FileWriteMode | Operation::FileWriteTimes => self.owns(operation, path),
            _ => return Ok(OrdinaryPermissions::Unknown),
        };
        permissions(answer)
    }

    /// The same for all of what access(2) asks at once.
    pub(super) fn ordinary_access(
        &self,
        operation: Operation,
        path: &[u8],
        mask: Ask,
    ) -> Result<OrdinaryPermissions, Stop> {
        permissions(self.may(operation, path, mask))
    }

    fn may(&self, operation: Operation, path: &[u8], wanted: Ask) -> Result<(), Unanswered> {
        let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
        self.ask(operation, path, || {
            rustix::fs::accessat(CWD, path, wanted, flags)
        })
    }

    fn owns(&self, operation: Operation, path: &[u8]) -> Result<(), Unanswered> {
        let user = rustix::process::geteuid();
        let owner = self.stat(operation, path)?.st_uid;
        if user.is_root() || user.as_raw() == owner {
            Ok(())
        } else {
            Err(Unanswered::Errno(Errno::PERM))
        }
    }
}

/// What an answer of the host says of ordinary permissions.
fn permissions(answer: Result<(), Unanswered>) -> Result<OrdinaryPermissions, Stop> {
    match answer {
        Ok(()) => Ok(OrdinaryPermissions::Allow),
        Err(Unanswered::Errno(Errno::ACCESS | Errno::PERM | Errno::ROFS)) => {
            Ok(OrdinaryPermissions::Deny)
        }
        Err(Unanswered::Overdue) => Err(Stop::Overdue),
        Err(_) => Ok(OrdinaryPermissions::Unknown),
    }
}

impl Ghost {
    /// Answers in the place of a thread that hangs.
    pub(super) fn answer_overdue(&self, common: &Common, note: &Note) {
        self.record_unexamined(common, note.thread, note.operation, &note.path);
        let mut reply = super::encode::Reply::default();
        reply.error(note.unique, Errno::ACCESS);
        self.send(reply.as_bytes());
    }

    fn record_unexamined(&self, common: &Common, thread: u32, operation: Operation, path: &[u8]) {
        if self.is_quiet(operation, path) {
            return;
        }
        let event = Event::new(
            operation,
            Target::path(path),
            common.processes.of_thread(thread),
            self.reasons.of_kind(DeniedByKind::NotExamined, None),
            Told::EACCES,
            Witness::Ghost,
            SystemTime::now(),
        );
        self.sink.record(event.with_kind(Kind::NotExamined));
    }

    fn is_quiet(&self, operation: Operation, path: &[u8]) -> bool {
        self.view.quiet && whybox_record::quiet::find(operation, path).is_some()
    }
}
