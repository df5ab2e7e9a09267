//! Changes. Nothing is ever changed on a ghost; these say what was tried.

use whybox_policy::Access;
use whybox_record::Operation;

use super::abi;
use super::call::{Call, Stop};
use super::refuse::Refusal;

impl Call<'_> {
    /// `SETATTR`. One call of a program sets several at once: to change an
    /// owner clears permission bits, to truncate sets times.
    pub(super) fn set_attributes(&mut self, valid: u32) -> Result<Stop, Stop> {
        let operation = if valid & (abi::SET_UID | abi::SET_GID) != 0 {
            Operation::FileWriteOwner
        } else if valid & abi::SET_SIZE != 0 {
            Operation::FileWriteData
        } else if valid & abi::SET_MODE != 0 {
            Operation::FileWriteMode
        } else {
            Operation::FileWriteTimes
        };
        let path = self.path_of(self.header.node)?;
        self.refuse(&Refusal::denial(operation, Access::Write, &path))
    }

    /// A new name, or a file without one in the directory.
    pub(super) fn make(&mut self, name: Option<&[u8]>) -> Result<Stop, Stop> {
        let directory = self.header.node;
        let path = match name {
            Some(name) => self.path_in(directory, name)?,
            None => self.path_of(directory)?,
        };
        self.refuse(&Refusal::denial(
            Operation::FileWriteCreate,
            Access::Write,
            &path,
        ))
    }

    /// `UNLINK` and `RMDIR`.
    pub(super) fn remove(&mut self, name: &[u8]) -> Result<Stop, Stop> {
        let path = self.path_in(self.header.node, name)?;
        self.refuse(&Refusal::denial(
            Operation::FileWriteUnlink,
            Access::Write,
            &path,
        ))
    }

    /// `RENAME`: the old name is what is refused first.
    pub(super) fn rename(&mut self, name: &[u8], to: u64, new: &[u8]) -> Result<Stop, Stop> {
        let path = self.path_in(self.header.node, name)?;
        let new = self.path_in(to, new)?;
        let mut refusal = Refusal::denial(Operation::FileWriteUnlink, Access::Write, &path);
        refusal.other = Some(&new);
        self.refuse(&refusal)
    }

    /// `LINK`: the file is what is refused, the new name stands beside it.
    pub(super) fn link(&mut self, from: u64, name: &[u8]) -> Result<Stop, Stop> {
        let new = self.path_in(self.header.node, name)?;
        let path = self.path_of(from)?;
        let mut refusal = Refusal::denial(Operation::FileLink, Access::Write, &path);
        refusal.other = Some(&new);
        self.refuse(&refusal)
    }

    /// `SETXATTR` and `REMOVEXATTR`.
    pub(super) fn change_xattr(&mut self) -> Result<Stop, Stop> {
        let path = self.path_of(self.header.node)?;
        self.refuse(&Refusal::denial(
            Operation::FileWriteXattr,
            Access::Write,
            &path,
        ))
    }
}
