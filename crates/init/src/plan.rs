use alloc::ffi::CString;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// All that the init is to do, in order.
///
/// ```
/// use whybox_init::{Plan, Program, Step};
///
/// let plan = Plan { outer: vec![Step::PrivateMounts], ..Plan::default() };
/// let bytes = plan.encode().unwrap();
/// assert_eq!(Plan::decode(&bytes).unwrap(), (plan, bytes.len()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Steps of the first process, in the host's view.
    pub outer: Vec<Step>,
    /// Steps of PID 1 of the cage, before it starts the command.
    pub build: Vec<Step>,
    /// Steps of the command's process, before `execve`.
    pub confine: Vec<Step>,
    /// What is executed.
    pub program: Program,
    /// PID 1 stays until the last process ends, instead of until the command does.
    pub detached: bool,
}

/// The command: strings lie behind the plan in the same memory file, each closed by
/// a NUL byte: candidates for the program's path, arguments, environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Number of paths to try in turn.
    pub candidates: u32,
    /// Number of arguments, the program's name included.
    pub arguments: u32,
    /// Number of `NAME=VALUE` strings.
    pub variables: u32,
}

/// One step of a launch. Paths are absolute in the view of the process that takes the
/// step, except those named `at`, which are relative to the root of the ghost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// `unshare(flags)`; see unshare(2).
    Unshare {
        /// `CLONE_NEW*` flags.
        flags: u32,
    },
    /// Writes the id maps of the new user namespace; see user_namespaces(7).
    MapIds {
        /// Text of `/proc/self/uid_map`.
        uid_map: CString,
        /// Text of `/proc/self/gid_map`.
        gid_map: CString,
        /// Who writes them: the process itself can map its own id alone (an ordinary user), and must give up
        /// `setgroups` for it; more than that only the harness can, from the namespace around (root).
        by_harness: bool,
    },
    /// Makes every mount private, so that nothing done here reaches the host.
    PrivateMounts,
    /// Mounts the ghost (FUSE), unattached, and hands its descriptor to the harness.
    MountGhost {
        /// User id that may use the mount.
        uid: u32,
        /// Group id that may use the mount.
        gid: u32,
    },
    /// Clones a tree of the host; see open_tree(2), mount_setattr(2).
    CloneTree {
        /// Slot that takes the descriptor.
        slot: u32,
        /// The tree's root.
        path: CString,
        /// `MOUNT_ATTR_*` flags to set on it and on all mounts below.
        attributes: u64,
    },
    /// Attaches the ghost to a directory of the private view, where it can be built on.
    AttachGhost {
        /// An existing directory.
        aside: CString,
    },
    /// Clones one name of the ghost, to hide with it what lies at that name later.
    CloneGhost {
        /// Slot that takes the descriptor.
        slot: u32,
        /// Name in the ghost.
        at: CString,
    },
    /// Starts PID 1 of a new PID namespace; the rest of the plan is its.
    EnterPidNamespace,
    /// Moves a cloned tree to its place.
    Attach {
        /// Slot of the tree.
        slot: u32,
        /// Its place; empty for the root itself.
        at: CString,
    },
    /// A new `/proc` for the cage's own processes.
    MountProc {
        /// Its place.
        at: CString,
        /// Names in it that become read-only: for root, whose user id alone would let it write the kernel's settings.
        read_only: Vec<CString>,
    },
    /// A `/dev` with the harmless devices, pseudo terminals and shared memory.
    MountDev {
        /// Its place.
        at: CString,
        /// First of consecutive slots with clones of the host's devices.
        first_slot: u32,
        /// Names of these devices.
        devices: Vec<CString>,
    },
    /// Copies of a directory's files that belong to the cage's user; see [`Step::MapIds`]: without them what root
    /// owns belongs to nobody there, and programs that check the owner refuse it.
    MountCopies {
        /// Its place.
        at: CString,
        /// Names and contents.
        files: Vec<(CString, Vec<u8>)>,
    },
    /// An own `/tmp`: a tmpfs above the ghost's directory of that name, which sees what is
    /// looked up; a plain tmpfs where the kernel cannot (before 6.6).
    MountTmp {
        /// Its place.
        at: CString,
        /// A directory of the ghost that is covered later, borrowed for the upper layer.
        borrow: CString,
        /// Where the ghost was attached.
        aside: CString,
        /// Whether to go on with a plain tmpfs, and these mount points in it, instead.
        plain: bool,
        /// Directories to create in a plain tmpfs (relative to it).
        directories: Vec<CString>,
        /// Files to create in a plain tmpfs (relative to it).
        files: Vec<CString>,
    },
    /// Makes what was built the root; see pivot_root(2).
    Pivot,
    /// Lets later mounts of PID 1 reach nested mount namespaces.
    SharedMounts,
    /// Brings the loopback interface of the own network namespace up.
    LoopbackUp,
    /// Own process group, in the session of the harness.
    OwnGroup {
        /// Makes the group the foreground group of the controlling terminal.
        foreground: bool,
    },
    /// Drops every capability but these; see capabilities(7).
    Capabilities {
        /// Bit set of those kept.
        keep: u64,
    },
    /// Enters the working directory by its path.
    WorkingDirectory {
        /// The directory.
        path: CString,
    },
    /// Sets a resource limit; see setrlimit(2).
    Limit {
        /// `RLIMIT_*`.
        resource: u32,
        /// Soft and hard value.
        value: u64,
    },
    /// `PR_SET_NO_NEW_PRIVS`; see prctl(2).
    NoNewPrivileges,
    /// Restricts by Landlock; see landlock(7).
    Landlock(Landlock),
    /// Installs a seccomp filter; see seccomp(2).
    Filter {
        /// The program, one `sock_filter` an element.
        program: Vec<u64>,
        /// Whether it has a listener, which goes to the harness.
        listener: bool,
    },
}

/// A Landlock ruleset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Landlock {
    /// `LANDLOCK_ACCESS_FS_*` that are refused unless a rule allows them.
    pub handled: u64,
    /// `LANDLOCK_SCOPE_*`.
    pub scoped: u64,
    /// Flags of `landlock_restrict_self`.
    pub flags: u32,
    /// What is allowed beneath which path.
    pub rules: Vec<PathAccess>,
    /// What is allowed on descriptors 0, 1 and 2 where they are files or devices.
    pub stdio: u64,
}

/// A rule of a [`Landlock`] ruleset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathAccess {
    /// A path in the cage; one that is not there is skipped.
    pub path: CString,
    /// `LANDLOCK_ACCESS_FS_*`.
    pub access: u64,
}

impl Plan {
    /// Encodes the plan; the strings of the program follow it.
    ///
    /// # Errors
    /// Only when memory runs out.
    pub fn encode(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_allocvec(self)
    }

    /// Decodes a plan; also gives the number of bytes it took.
    ///
    /// # Errors
    /// When the bytes are not a plan of this version.
    pub fn decode(bytes: &[u8]) -> Result<(Plan, usize), postcard::Error> {
        let (plan, rest) = postcard::take_from_bytes(bytes)?;
        Ok((plan, bytes.len() - rest.len()))
    }
}
