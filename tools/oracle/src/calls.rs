//! The calls that are traced, and what each asks for. A table.

use whybox_record::Operation;

use crate::trace::{Call, Value};

/// What a call wants of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wish {
    /// To open it, for reading or writing: the flags tell.
    Open,
    /// To know what is there.
    Stat,
    /// To know whether it may be used.
    Access,
    /// To know where a link leads.
    ReadLink,
    /// To read or list extended attributes.
    Xattr,
    /// To stand there.
    Enter,
    /// To list it.
    List,
    /// To be told of changes.
    Watch,
    /// To know the file system.
    StatFs,
    /// To run it.
    Exec,
    /// To make or change something.
    Change,
}

/// How a call names its path.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of the call.
    pub name: &'static str,
    /// What it wants.
    pub wish: Wish,
    /// The arguments that name paths, each with its directory.
    pub names: &'static [Name],
    /// Whether a symlink at the end is followed, unless a flag says no.
    pub follows: bool,
}

/// Where a path stands among the arguments.
#[derive(Clone, Copy, Debug)]
pub enum Name {
    /// A path at this place, from the working directory.
    Path(usize),
    /// A directory's descriptor at this place, and the path behind it.
    At(usize),
    /// A descriptor alone.
    Descriptor(usize),
}

const PATH: &[Name] = &[Name::Path(0)];
const AT: &[Name] = &[Name::At(0)];
const DESCRIPTOR: &[Name] = &[Name::Descriptor(0)];

const fn row(name: &'static str, wish: Wish, names: &'static [Name], follows: bool) -> Row {
    Row {
        name,
        wish,
        names,
        follows,
    }
}

/// All calls that name a file.
pub const ROWS: &[Row] = &[
    row("open", Wish::Open, PATH, true),
    row("creat", Wish::Open, PATH, true),
    row("openat", Wish::Open, AT, true),
    row("openat2", Wish::Open, AT, true),
    row("stat", Wish::Stat, PATH, true),
    row("lstat", Wish::Stat, PATH, false),
    row("fstat", Wish::Stat, DESCRIPTOR, true),
    row("newfstatat", Wish::Stat, AT, true),
    row("statx", Wish::Stat, AT, true),
    row("access", Wish::Access, PATH, true),
    row("faccessat", Wish::Access, AT, true),
    row("faccessat2", Wish::Access, AT, true),
    row("readlink", Wish::ReadLink, PATH, false),
    row("readlinkat", Wish::ReadLink, AT, false),
    row("getxattr", Wish::Xattr, PATH, true),
    row("lgetxattr", Wish::Xattr, PATH, false),
    row("fgetxattr", Wish::Xattr, DESCRIPTOR, true),
    row("listxattr", Wish::Xattr, PATH, true),
    row("llistxattr", Wish::Xattr, PATH, false),
    row("flistxattr", Wish::Xattr, DESCRIPTOR, true),
    row("chdir", Wish::Enter, PATH, true),
    row("fchdir", Wish::Enter, DESCRIPTOR, true),
    row("getdents", Wish::List, DESCRIPTOR, true),
    row("getdents64", Wish::List, DESCRIPTOR, true),
    row("inotify_add_watch", Wish::Watch, &[Name::Path(1)], true),
    row("statfs", Wish::StatFs, PATH, true),
    row("fstatfs", Wish::StatFs, DESCRIPTOR, true),
    row("execve", Wish::Exec, PATH, true),
    row("execveat", Wish::Exec, AT, true),
    row("mkdir", Wish::Change, PATH, false),
    row("mkdirat", Wish::Change, AT, false),
    row("mknod", Wish::Change, PATH, false),
    row("mknodat", Wish::Change, AT, false),
    row("unlink", Wish::Change, PATH, false),
    row("unlinkat", Wish::Change, AT, false),
    row("rmdir", Wish::Change, PATH, false),
    row(
        "rename",
        Wish::Change,
        &[Name::Path(0), Name::Path(1)],
        false,
    ),
    row("renameat", Wish::Change, &[Name::At(0), Name::At(2)], false),
    row(
        "renameat2",
        Wish::Change,
        &[Name::At(0), Name::At(2)],
        false,
    ),
    row("link", Wish::Change, &[Name::Path(0), Name::Path(1)], false),
    row("linkat", Wish::Change, &[Name::At(0), Name::At(2)], false),
    row("symlink", Wish::Change, &[Name::Path(1)], false),
    row("symlinkat", Wish::Change, &[Name::At(1)], false),
    row("chmod", Wish::Change, PATH, true),
    row("fchmodat", Wish::Change, AT, true),
    row("chown", Wish::Change, PATH, true),
    row("lchown", Wish::Change, PATH, false),
    row("fchownat", Wish::Change, AT, true),
    row("utime", Wish::Change, PATH, true),
    row("utimes", Wish::Change, PATH, true),
    row("futimesat", Wish::Change, AT, true),
    row("utimensat", Wish::Change, AT, true),
    row("truncate", Wish::Change, PATH, true),
    row("setxattr", Wish::Change, PATH, true),
    row("lsetxattr", Wish::Change, PATH, false),
    row("removexattr", Wish::Change, PATH, true),
    row("lremovexattr", Wish::Change, PATH, false),
];

/// Calls that tell who is who and where, besides those above.
pub const BOOKKEEPING: &[&str] = &[
    "clone", "clone3", "fork", "vfork", "seccomp", "dup", "dup2", "dup3", "fcntl", "prctl",
];

/// Calls that a cage refuses as such; the last only on other processes.
pub const REFUSED: &[&str] = &[
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "unshare",
    "setns",
    "mount",
    "umount2",
    "pivot_root",
    "open_tree",
    "move_mount",
    "fsopen",
    "mount_setattr",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "add_key",
    "request_key",
    "keyctl",
    "open_by_handle_at",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "syslog",
    "pidfd_getfd",
    "kcmp",
    "prlimit64",
];

/// What strace is told to trace. A name that this machine does not have is passed over.
#[must_use]
pub fn traced() -> String {
    let files = ROWS.iter().map(|row| row.name);
    let names = files.chain(BOOKKEEPING.iter().chain(REFUSED).copied());
    let names: Vec<String> = names.map(|name| format!("?{name}")).collect();
    names.join(",")
}

/// The row of a call, if it names a file.
#[must_use]
pub fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// Whether a flag of this name is among the arguments.
#[must_use]
pub fn has(call: &Call, flag: &str) -> bool {
    call.arguments.iter().any(|argument| match argument {
        Value::Other(text) => text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .any(|word| word == flag),
        _ => false,
    })
}

impl Row {
    /// Whether this call follows a symlink at the end of its path.
    #[must_use]
    pub fn follows(&self, call: &Call) -> bool {
        let no = [
            "O_NOFOLLOW",
            "AT_SYMLINK_NOFOLLOW",
            "IN_DONT_FOLLOW",
            "O_EXCL",
        ];
        self.follows && !no.iter().any(|flag| has(call, flag))
    }

    /// Whether this call wants to change something.
    #[must_use]
    pub fn writes(&self, call: &Call) -> bool {
        let writing = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE"];
        self.wish == Wish::Change
            || call.name == "creat"
            || (self.wish == Wish::Open && writing.iter().any(|flag| has(call, flag)))
    }

    /// The operations under which the record may tell that the path at the end was refused.
    #[must_use]
    pub fn operations(&self, call: &Call) -> &'static [Operation] {
        use Operation as Is;
        match self.wish {
            Wish::Open if has(call, "O_TMPFILE") => &[Is::FileWriteCreate],
            Wish::Open if has(call, "O_WRONLY") || has(call, "O_RDWR") || call.name == "creat" => {
                &[Is::FileWriteData, Is::FileWriteCreate]
            }
            Wish::Open if has(call, "O_TRUNC") => &[Is::FileWriteData, Is::FileWriteCreate],
            Wish::Open if has(call, "O_CREAT") => &[Is::FileReadData, Is::FileWriteCreate],
            Wish::Open | Wish::ReadLink | Wish::List | Wish::Watch => &[Is::FileReadData],
            Wish::Stat | Wish::StatFs => &[Is::FileReadMetadata],
            Wish::Access if has(call, "W_OK") => &[Is::FileWriteData],
            Wish::Access if has(call, "R_OK") => &[Is::FileReadData],
            Wish::Access => &[Is::ProcessExec, Is::FileLookup],
            Wish::Xattr => &[Is::FileReadXattr],
            Wish::Enter => &[Is::FileLookup],
            Wish::Exec => &[Is::ProcessExec, Is::ProcessExecInterpreter],
            Wish::Change => changes(self.name),
        }
    }
}

/// Of the calls that change something, the operations.
fn changes(name: &str) -> &'static [Operation] {
    use Operation as Is;
    match name {
        "unlink" | "unlinkat" | "rmdir" => &[Is::FileWriteUnlink],
        "rename" | "renameat" | "renameat2" => &[Is::FileWriteUnlink, Is::FileWriteCreate],
        "link" | "linkat" => &[Is::FileLink, Is::FileWriteCreate],
        "chmod" | "fchmodat" => &[Is::FileWriteMode],
        "chown" | "lchown" | "fchownat" => &[Is::FileWriteOwner],
        "utime" | "utimes" | "futimesat" | "utimensat" => &[Is::FileWriteTimes],
        "truncate" => &[Is::FileWriteData],
        "setxattr" | "lsetxattr" | "removexattr" | "lremovexattr" => &[Is::FileWriteXattr],
        _ => &[Is::FileWriteCreate],
    }
}
