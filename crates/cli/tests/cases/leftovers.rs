//! What a run must not leave on the host: processes, mounts, files, other modes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::bed::Bed;

/// Only so that a failing test ends; nothing is measured.
const PATIENCE: Duration = Duration::from_secs(20);

/// Files beyond this size are compared by size.
const READ: u64 = 65_536;

/// A directory of so many files that only their number is compared.
const BIG: &str = "big";

/// All names of a bed with what they are.
pub(crate) struct Snapshot(BTreeMap<String, String>);

impl Snapshot {
    pub(crate) fn take(bed: &Bed) -> Snapshot {
        let mut names = BTreeMap::new();
        walk(&bed.path(""), "", &mut names);
        Snapshot(names)
    }

    /// The differences, by name.
    pub(crate) fn changes(&self, after: &Snapshot) -> Vec<String> {
        let mut changes = Vec::new();
        for (name, what) in &after.0 {
            match self.0.get(name) {
                None => changes.push(format!("+{name}")),
                Some(before) if before != what => changes.push(format!("~{name}")),
                Some(_) => {}
            }
        }
        let gone = self.0.keys().filter(|name| !after.0.contains_key(*name));
        changes.extend(gone.map(|name| format!("-{name}")));
        changes
    }
}

fn walk(directory: &Path, prefix: &str, names: &mut BTreeMap<String, String>) {
    // One that may not be listed has no names to compare.
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries {
        let entry = entry.unwrap();
        let path = entry.path();
        let name = format!("{prefix}{}", entry.file_name().as_bytes().escape_ascii());
        let metadata = path.symlink_metadata().unwrap();
        let mode = metadata.permissions().mode();
        let kind = metadata.file_type();
        let content = if kind.is_file() && metadata.len() <= READ {
            fs::read(&path).unwrap_or_default()
        } else if kind.is_symlink() {
            fs::read_link(&path)
                .unwrap()
                .as_os_str()
                .as_bytes()
                .to_vec()
        } else {
            Vec::new()
        };
        let size = if kind.is_file() { metadata.len() } else { 0 };
        let owner = metadata.uid();
        let what = format!("{mode:o} {owner} {size} {}", content.escape_ascii());
        names.insert(name.clone(), what);
        if name == BIG {
            names.insert(format!("{name}/*"), count(&path).to_string());
        } else if kind.is_dir() {
            walk(&path, &format!("{name}/"), names);
        }
    }
}

fn count(directory: &Path) -> usize {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries
        .map(|entry| match entry.file_type().unwrap().is_dir() {
            true => count(&entry.path()),
            false => 1,
        })
        .sum()
}

/// No process and no mount that knows of the bed.
#[track_caller]
pub(crate) fn nothing_is_left(bed: &Bed) {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let left: Vec<&str> = mounts
        .lines()
        .filter(|line| line.contains(&bed.text()) || line.contains("fuse.ghost"))
        .collect();
    assert_eq!(left, [""; 0]);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = processes(bed);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "still running: {left:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes whose environment or arguments name the bed, which is how every process of a run begins.
pub(crate) fn processes(bed: &Bed) -> Vec<String> {
    let wanted = bed.text().into_bytes();
    let names = |bytes: &[u8]| bytes.windows(wanted.len()).any(|part| part == wanted);
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
        let own = entry.file_name().as_bytes() == std::process::id().to_string().as_bytes();
        if !own && (names(&read("environ")) || names(&read("cmdline"))) {
            let line = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
            found.push(format!("{} {line}", entry.file_name().display()));
        }
    }
    found
}
