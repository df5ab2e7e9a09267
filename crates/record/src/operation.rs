//! The operations: what a process asked for.

use crate::{Class, Target, TargetType, named::named};

named! {
    /// What a process asked for, under the names that macOS gives to it, on both
    /// systems.
    ///
    /// Three names are whybox's own, because macOS has none for the thing:
    /// `file-lookup`, `system-call` and `limit`. A rename is what macOS makes of
    /// it: `file-write-unlink` of the old name or `file-write-create` of the new
    /// one, whichever was refused, with the other name beside it.
    ///
    /// ```
    /// use whybox_record::{Class, Operation};
    /// assert_eq!("file-read-data".parse(), Ok(Operation::FileReadData));
    /// assert_eq!(Operation::FileReadData.class(), Class::FileRead);
    /// ```
    pub enum Operation: "operation" {
        /// Reading a file's content, or listing a directory.
        FileReadData = "file-read-data",
        /// Asking for a file's type, size, times, owner or mode.
        FileReadMetadata = "file-read-metadata",
        /// Reading or listing extended attributes.
        FileReadXattr = "file-read-xattr",
        /// Looking up a name beneath a hidden directory. What the process wanted
        /// with it cannot be known: it did not get that far.
        FileLookup = "file-lookup",
        /// Making a file, directory, link or node, or moving one to a new name.
        FileWriteCreate = "file-write-create",
        /// Writing to a file, truncating it, or opening it for either.
        FileWriteData = "file-write-data",
        /// Removing a name, or moving it away.
        FileWriteUnlink = "file-write-unlink",
        /// Changing permission bits.
        FileWriteMode = "file-write-mode",
        /// Changing owner or group.
        FileWriteOwner = "file-write-owner",
        /// Changing times.
        FileWriteTimes = "file-write-times",
        /// Changing file flags, such as immutable.
        FileWriteFlags = "file-write-flags",
        /// Setting or removing extended attributes.
        FileWriteXattr = "file-write-xattr",
        /// Changing an access control list.
        FileWriteAcl = "file-write-acl",
        /// Making a hard link to a file.
        FileLink = "file-link",
        /// A device control request on a file.
        FileIoctl = "file-ioctl",
        /// Mapping a file as code.
        FileMapExecutable = "file-map-executable",
        /// Running a program.
        ProcessExec = "process-exec",
        /// Running a program through an interpreter that it names.
        ProcessExecInterpreter = "process-exec-interpreter",
        /// Making a process.
        ProcessFork = "process-fork",
        /// Asking about another process, or reaching into it.
        ProcessInfo = "process-info",
        /// Changing the limits or the scheduling of another process.
        ProcessInfoSetcontrol = "process-info-setcontrol",
        /// Connecting or sending to an address.
        NetworkOutbound = "network-outbound",
        /// Accepting from an address.
        NetworkInbound = "network-inbound",
        /// Taking a local address.
        NetworkBind = "network-bind",
        /// Making a socket of a family that is refused as such.
        SystemSocket = "system-socket",
        /// Sending a signal.
        Signal = "signal",
        /// A system call that is refused as such.
        SystemCall = "system-call",
        /// Use of something that the run has a limit for.
        Limit = "limit",
    }
}

impl Operation {
    /// The class of the operation, where the target does not change it.
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            Self::FileReadData
            | Self::FileReadMetadata
            | Self::FileReadXattr
            | Self::FileLookup => Class::FileRead,
            Self::FileWriteCreate
            | Self::FileWriteData
            | Self::FileWriteUnlink
            | Self::FileWriteMode
            | Self::FileWriteOwner
            | Self::FileWriteTimes
            | Self::FileWriteFlags
            | Self::FileWriteXattr
            | Self::FileWriteAcl
            | Self::FileLink
            | Self::FileIoctl => Class::FileWrite,
            Self::FileMapExecutable | Self::ProcessExec | Self::ProcessExecInterpreter => {
                Class::Exec
            }
            Self::ProcessFork | Self::ProcessInfo | Self::ProcessInfoSetcontrol => Class::Process,
            Self::NetworkOutbound
            | Self::NetworkInbound
            | Self::NetworkBind
            | Self::SystemSocket => Class::Network,
            Self::Signal => Class::Signal,
            Self::SystemCall => Class::SystemCall,
            Self::Limit => Class::Limit,
        }
    }

    /// The class of the operation on this target: a network operation on a path
    /// is about a Unix socket.
    ///
    /// ```
    /// use whybox_record::{Class, Operation, Target};
    /// let socket = Target::path(b"/run/docker.sock");
    /// assert_eq!(Operation::NetworkOutbound.class_on(&socket), Class::UnixSocket);
    /// ```
    #[must_use]
    pub fn class_on(self, target: &Target) -> Class {
        match self.class() {
            Class::Network if target.target_type() == TargetType::Path => Class::UnixSocket,
            class => class,
        }
    }
}
