//! From a resolved policy to the steps of a launch. Pure: the same input gives the same plan.

mod points;

use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(crate) use points::{Place, Point, points};
use whybox_init::{Plan, Step};
use whybox_policy::{Limits, Network};

use super::host::Host;
use super::landlock::{self, Allowed};
use super::resolve::{Kind, Resolved};
use super::seccomp::{Watch, filter};

const CLONE_NEWNS: u32 = 0x0002_0000;
const CLONE_NEWUTS: u32 = 0x0400_0000;
const CLONE_NEWIPC: u32 = 0x0800_0000;
const CLONE_NEWUSER: u32 = 0x1000_0000;
const CLONE_NEWNET: u32 = 0x4000_0000;

const NODEV: u64 = 4;
const NOSUID: u64 = 2;
const READ_ONLY: u64 = 1;
const NOEXEC: u64 = 8;

/// What root keeps (the numbers of `linux/capability.h`): CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER. They reach
/// files alone, and of these only what is mounted; without them root could not read what its users own.
const ROOT_CAPABILITIES: u64 = 0b1111;

/// Devices that every program may expect.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
const TERMINAL: &str = "tty";

/// What a launch needs to know besides the policy.
#[derive(Clone, Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) watch: Watch,
    /// Own process group and the terminal's foreground.
    pub(crate) foreground: bool,
    pub(crate) landlock: bool,
}

/// The steps, and what the ghost must keep stable under them.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    /// Mount points and everything above them, and the working directory.
    pub(crate) stable: BTreeMap<PathBuf, Kind>,
    /// Directories of the ghost that lie beneath the cage's own `/tmp`.
    pub(crate) shadow: Vec<PathBuf>,
}

/// Makes the plan.
pub(crate) fn plan(resolved: &Resolved, host: &Host, launch: &Launch<'_>) -> Planned {
    let policy = &resolved.policy;
    let points = points(resolved, host);
    let own_tmp = points.iter().any(|point| point.place == Place::Tmp);
    let terminal = policy.terminal() == whybox_policy::Terminal::Inherit;
    let devices: Vec<&str> = DEVICES
        .into_iter()
        .chain(terminal.then_some(TERMINAL))
        .collect();

    let mut outer = vec![
        Step::Unshare {
            flags: namespaces(policy.network()),
        },
        Step::MapIds {
            uid_map: host.uid_map.clone(),
            gid_map: host.gid_map.clone(),
            by_harness: host.map_by_harness,
        },
        Step::PrivateMounts,
        Step::MountGhost {
            uid: host.uid,
            gid: host.gid,
        },
    ];
    let first_device = points.len() as u32;
    outer.extend(
        points
            .iter()
            .enumerate()
            .filter_map(|(slot, point)| match point.place {
                Place::Tree { write, exec } => Some(Step::CloneTree {
                    slot: slot as u32,
                    path: text(&point.path),
                    attributes: attributes(write, exec),
                }),
                _ => None,
            }),
    );
    for (index, name) in devices.iter().enumerate() {
        let path = Path::new("/dev").join(name);
        outer.push(Step::CloneTree {
            slot: first_device + index as u32,
            path: text(&path),
            attributes: NOSUID | NOEXEC,
        });
    }
    outer.push(Step::AttachGhost {
        aside: text(&host.aside),
    });
    outer.extend(
        points
            .iter()
            .enumerate()
            .filter(|(_, point)| point.place == Place::Mask)
            .map(|(slot, point)| Step::CloneGhost {
                slot: slot as u32,
                at: below_root(&point.path),
            }),
    );
    outer.push(Step::EnterPidNamespace);

    let mut build: Vec<Step> = points
        .iter()
        .enumerate()
        .map(|(slot, point)| match point.place {
            Place::Tree { .. } | Place::Mask => Step::Attach {
                slot: slot as u32,
                at: below_root(&point.path),
            },
            Place::Proc => Step::MountProc {
                at: below_root(&point.path),
                read_only: host.proc_read_only.clone(),
            },
            Place::Dev => Step::MountDev {
                at: below_root(&point.path),
                first_slot: first_device,
                devices: devices.iter().map(|name| text(Path::new(name))).collect(),
            },
            Place::Copies(index) => Step::MountCopies {
                at: below_root(&point.path),
                files: host
                    .copies
                    .get(index)
                    .map(|copies| copies.files.clone())
                    .unwrap_or_default(),
            },
            Place::Tmp => own_tmp_step(&points, host, launch.directory),
        })
        .collect();
    build.extend([Step::Pivot, Step::SharedMounts]);
    if policy.network() == Network::None {
        build.push(Step::LoopbackUp);
    }

    let plan = Plan {
        outer,
        build,
        confine: confine(resolved, host, launch, &points),
        program: whybox_init::Program::default(),
        detached: policy.lifetime() == whybox_policy::Lifetime::Detached,
    };
    let shadow = own_tmp.then(|| PathBuf::from("/tmp")).into_iter().collect();
    Planned {
        plan,
        stable: stable(&points, launch.directory),
        shadow,
    }
}

fn namespaces(network: Network) -> u32 {
    let network = if network == Network::None {
        CLONE_NEWNET
    } else {
        0
    };
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | network
}

fn attributes(write: bool, exec: bool) -> u64 {
    NOSUID | NODEV | if write { 0 } else { READ_ONLY } | if exec { 0 } else { NOEXEC }
}

/// The order matters only for the ghost, which keeps the place of `/dev` free until the own one is mounted.
fn own_tmp_step(points: &[Point], host: &Host, directory: &Path) -> Step {
    let tmp = Path::new("/tmp");
    let mut directories: BTreeMap<&Path, Kind> = BTreeMap::new();
    for (path, kind) in points
        .iter()
        .map(|point| (point.path.as_path(), point.kind))
        .chain([(directory, Kind::Directory)])
    {
        for (above, kind) in std::iter::once((path, kind))
            .chain(path.ancestors().skip(1).map(|path| (path, Kind::Directory)))
        {
            if let Ok(rest) = above.strip_prefix(tmp)
                && !rest.as_os_str().is_empty()
            {
                directories.insert(rest, kind);
            }
        }
    }
    let of = |wanted| {
        directories
            .iter()
            .filter(|(_, kind)| **kind == wanted)
            .map(|(path, _)| text(path))
            .collect()
    };
    Step::MountTmp {
        at: below_root(tmp),
        borrow: below_root(Path::new("/dev")),
        aside: text(&host.aside),
        plain: !host.tmp_overlay,
        directories: of(Kind::Directory),
        files: of(Kind::File),
    }
}

fn confine(resolved: &Resolved, host: &Host, launch: &Launch<'_>, points: &[Point]) -> Vec<Step> {
    let mut steps = Vec::new();
    // In the group of the harness a signal to one's own group would leave the cage, unless Landlock holds it.
    if launch.foreground || !(launch.landlock && landlock::scopes_signals(host.landlock)) {
        steps.push(Step::OwnGroup {
            foreground: launch.foreground,
        });
    }
    steps.push(Step::WorkingDirectory {
        path: text(launch.directory),
    });
    steps.extend(limits(resolved.policy.limits()));
    steps.push(Step::Capabilities {
        keep: if host.uid == 0 { ROOT_CAPABILITIES } else { 0 },
    });
    steps.push(Step::NoNewPrivileges);
    if launch.landlock {
        steps.push(Step::Landlock(landlock::ruleset(
            host.landlock,
            &allowed(resolved, points),
        )));
    }
    steps.push(Step::Filter {
        program: filter(launch.watch, &[]),
        listener: launch.watch == Watch::On,
    });
    steps
}

fn limits(limits: &Limits) -> impl Iterator<Item = Step> {
    [
        (libc::RLIMIT_CPU, limits.cpu_seconds),
        (libc::RLIMIT_FSIZE, limits.file_size_bytes),
        (libc::RLIMIT_NPROC, limits.processes),
        (libc::RLIMIT_NOFILE, limits.open_files),
        (libc::RLIMIT_AS, limits.memory_bytes),
    ]
    .into_iter()
    .filter_map(|(resource, value)| value.map(|value| Step::Limit { resource, value }))
}

/// What Landlock allows beneath each mount: as much as the mount does.
fn allowed(resolved: &Resolved, points: &[Point]) -> Vec<Allowed> {
    let one = |path: &Path, write, names, exec| Allowed {
        path: text(path),
        write,
        names,
        exec,
    };
    let mut out = Vec::new();
    for point in points {
        match (point.place, point.kind) {
            (Place::Tree { write, exec }, Kind::Directory) => {
                out.push(one(&point.path, write, write, exec))
            }
            (Place::Tree { write, exec }, Kind::File) => {
                // On the ghost's directory above it, a rule outlives the file's replacement on the host. Other
                // names there stay with the ghost.
                let above = point
                    .path
                    .parent()
                    .filter(|above| points::in_ghost(points, above));
                out.push(one(above.unwrap_or(&point.path), write, false, exec));
            }
            (Place::Proc, _) => out.push(one(&point.path, true, false, false)),
            (Place::Dev, _) => {
                out.push(one(&point.path, true, false, false));
                out.push(one(&point.path.join("shm"), true, true, false));
            }
            (Place::Tmp, _) => {
                let exec = resolved
                    .decider
                    .decide(whybox_policy::Access::Exec, &point.path)
                    .allowed;
                out.push(one(&point.path, true, true, exec));
            }
            (Place::Mask | Place::Copies(_), _) => {}
        }
    }
    out
}

fn stable(points: &[Point], directory: &Path) -> BTreeMap<PathBuf, Kind> {
    let mut stable = BTreeMap::new();
    for (path, kind) in points
        .iter()
        .map(|point| (point.path.as_path(), point.kind))
        .chain([(directory, Kind::Directory)])
    {
        stable.insert(path.to_path_buf(), kind);
        for above in path.ancestors().skip(1) {
            stable.insert(above.to_path_buf(), Kind::Directory);
        }
    }
    stable
}

/// A path from the host or a rule never holds a NUL byte.
fn text(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}

fn below_root(path: &Path) -> CString {
    text(path.strip_prefix("/").unwrap_or(path))
}
