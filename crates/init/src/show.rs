//! A line for each step, as `--dry-run` and errors print it.

use crate::{Plan, Step};
use core::ffi::CStr;
use core::fmt;

/// A path with what a terminal could misread escaped.
struct Shown<'a>(&'a CStr);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.to_bytes();
        if bytes.is_empty() {
            return f.write_str("/");
        }
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                if c.is_control() {
                    write!(f, "{}", c.escape_default())?
                } else {
                    write!(f, "{c}")?
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

const NAMESPACES: [(u32, &str); 7] = [
    (0x1000_0000, "user"),
    (0x0002_0000, "mount"),
    (0x2000_0000, "pid"),
    (0x4000_0000, "net"),
    (0x0800_0000, "ipc"),
    (0x0400_0000, "uts"),
    (0x0200_0000, "cgroup"),
];

const ATTRIBUTES: [(u64, &str); 4] = [(1, "read-only"), (2, "nosuid"), (4, "nodev"), (8, "noexec")];

fn names<T: Copy + core::ops::BitAnd<Output = T> + PartialEq + Default>(
    f: &mut fmt::Formatter<'_>,
    table: &[(T, &str)],
    value: T,
) -> fmt::Result {
    let mut separator = "";
    for (bit, name) in table {
        if value & *bit != T::default() {
            write!(f, "{separator}{name}")?;
            separator = ",";
        }
    }
    Ok(())
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Unshare { flags } => {
                f.write_str("unshare ")?;
                names(f, &NAMESPACES, *flags)
            }
            Step::MapIds {
                uid_map, gid_map, ..
            } => {
                write!(
                    f,
                    "map ids, users {} groups {}",
                    Shown(uid_map),
                    Shown(gid_map)
                )
            }
            Step::PrivateMounts => f.write_str("make mounts private"),
            Step::MountGhost { uid, gid } => {
                write!(f, "mount the ghost for user {uid} group {gid}")
            }
            Step::CloneTree {
                path, attributes, ..
            } => {
                write!(f, "clone {} ", Shown(path))?;
                names(f, &ATTRIBUTES, *attributes)
            }
            Step::AttachGhost { aside } => write!(f, "attach the ghost aside at {}", Shown(aside)),
            Step::CloneGhost { at, .. } => write!(f, "clone the ghost's /{}", Shown(at)),
            Step::EnterPidNamespace => f.write_str("start PID 1 of a new pid namespace"),
            Step::Attach { at, .. } => write!(f, "attach at /{}", Shown(at)),
            Step::MountProc { at, read_only } => {
                write!(
                    f,
                    "mount proc at /{}, {} names of it read-only",
                    Shown(at),
                    read_only.len()
                )
            }
            Step::MountDev { at, .. } => write!(f, "mount the small dev at /{}", Shown(at)),
            Step::MountCopies { at, files } => {
                write!(f, "mount copies of {} files at /{}", files.len(), Shown(at))
            }
            Step::MountTmp { at, plain, .. } => {
                write!(
                    f,
                    "mount {} tmp at /{}",
                    if *plain { "a plain" } else { "an own" },
                    Shown(at)
                )
            }
            Step::Pivot => f.write_str("pivot the root"),
            Step::SharedMounts => f.write_str("make mounts shared"),
            Step::LoopbackUp => f.write_str("bring loopback up"),
            Step::OwnGroup { foreground } => {
                write!(
                    f,
                    "own process group{}",
                    if *foreground {
                        ", in the foreground"
                    } else {
                        ""
                    }
                )
            }
            Step::Capabilities { keep: 0 } => f.write_str("drop all capabilities"),
            Step::Capabilities { keep } => write!(f, "drop all capabilities but {keep:#x}"),
            Step::WorkingDirectory { path } => write!(f, "enter {}", Shown(path)),
            Step::Limit { resource, value } => write!(f, "limit resource {resource} to {value}"),
            Step::NoNewPrivileges => f.write_str("no new privileges"),
            Step::Landlock(set) => {
                write!(
                    f,
                    "Landlock: handle {:#x}, scope {:#x}",
                    set.handled, set.scoped
                )?;
                for rule in &set.rules {
                    write!(f, "; {} {:#x}", Shown(&rule.path), rule.access)?;
                }
                Ok(())
            }
            Step::Filter { program, listener } => write!(
                f,
                "seccomp filter of {} instructions{}",
                program.len(),
                if *listener { " with a listener" } else { "" }
            ),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, steps) in [
            ("in the host's view:", &self.outer),
            ("as PID 1 of the cage:", &self.build),
            ("as the command:", &self.confine),
        ] {
            writeln!(f, "{title}")?;
            for step in steps {
                writeln!(f, "  {step}")?;
            }
        }
        Ok(())
    }
}
