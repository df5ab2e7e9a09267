//! Where something must be mounted, so that the mounts allow what the policy decides.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use whybox_policy::{Access, Decider, Reason, Tmp};

use crate::linux::host::Host;
use crate::linux::resolve::{Kind, Resolved};

/// A mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) place: Place,
}

/// What is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The host's tree.
    Tree {
        write: bool,
        exec: bool,
    },
    /// The ghost, over part of a tree.
    Mask,
    /// The cage's own.
    Proc,
    Dev,
    Tmp,
    /// Copies of the host's files; the number says which.
    Copies(usize),
}

/// What the policy allows at a path; `None` where it may not even be read.
type Rights = Option<(bool, bool)>;

fn rights(decider: &Decider, path: &Path) -> Rights {
    let may = |access| decider.decide(access, path).allowed;
    may(Access::Read).then(|| (may(Access::Write), may(Access::Exec)))
}

/// The mounts, each after those that it lies in. A path whose rights are those of the mount around it needs none.
pub(crate) fn points(resolved: &Resolved, host: &Host) -> Vec<Point> {
    let decider = &resolved.decider;
    let mut candidates: BTreeMap<&Path, (Kind, Option<Place>)> = resolved
        .present
        .iter()
        .map(|(path, kind)| (path.as_path(), (*kind, None)))
        .collect();
    candidates.insert(Path::new("/proc"), (Kind::Directory, Some(Place::Proc)));
    candidates.insert(Path::new("/dev"), (Kind::Directory, Some(Place::Dev)));
    let tmp = Path::new("/tmp");
    if resolved.policy.tmp() == Tmp::Own
        && decider.decide(Access::Read, tmp).reason == Reason::OwnTmp
    {
        candidates.insert(tmp, (Kind::Directory, Some(Place::Tmp)));
    }
    for (index, copies) in host.copies.iter().enumerate() {
        if rights(decider, &copies.directory) == Some((false, false)) {
            candidates.insert(
                &copies.directory,
                (Kind::Directory, Some(Place::Copies(index))),
            );
        }
    }
    for path in &resolved.closed {
        candidates.insert(path, (Kind::Directory, Some(Place::Mask)));
    }
    let mut points: Vec<Point> = Vec::new();
    for (path, (kind, own)) in candidates {
        let around = around(&points, path);
        let place = match (own, around.map(|point| point.place)) {
            // What the ghost answers needs no mask.
            (Some(Place::Mask), None | Some(Place::Mask)) => continue,
            (Some(own), _) => own,
            // The kernel's own names there, and the few devices.
            (None, Some(Place::Proc | Place::Dev)) => continue,
            (None, around) => match (rights(decider, path), around) {
                (Some((write, exec)), Some(Place::Tree { write: w, exec: x }))
                    if (write, exec) == (w, x) =>
                {
                    continue;
                }
                (Some(_), Some(Place::Tmp))
                    if decider.decide(Access::Read, path).reason == Reason::OwnTmp =>
                {
                    continue;
                }
                (Some((write, exec)), _) => Place::Tree { write, exec },
                (None, None | Some(Place::Mask)) => continue,
                (None, _) => Place::Mask,
            },
        };
        points.push(Point {
            path: path.to_path_buf(),
            kind,
            place,
        });
    }
    points
}

/// The innermost mount around a path, the path itself left out.
fn around<'a>(points: &'a [Point], path: &Path) -> Option<&'a Point> {
    points
        .iter()
        .rev()
        .find(|point| path != point.path && path.starts_with(&point.path))
}

/// Whether a path is answered by the ghost.
pub(super) fn in_ghost(points: &[Point], path: &Path) -> bool {
    let innermost = points
        .iter()
        .rev()
        .find(|point| path.starts_with(&point.path));
    innermost.is_none_or(|point| point.place == Place::Mask)
}
