//! What of this host a plan depends on.

use std::ffi::CString;
use std::path::PathBuf;

use super::copies::Copies;

/// Facts that are the same for every launch of a harness.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    /// Effective user and group.
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Text of the id maps of the cage's user namespace.
    pub(crate) uid_map: CString,
    pub(crate) gid_map: CString,
    /// Whether the harness has to write them.
    pub(crate) map_by_harness: bool,
    /// Landlock's version; 0 where it is missing.
    pub(crate) landlock: u32,
    /// Top-level names of `/proc` that only the user id keeps from being written.
    pub(crate) proc_read_only: Vec<CString>,
    /// Copies of files whose owner the cage's user namespace does not have.
    pub(crate) copies: Vec<Copies>,
    /// A directory that the ghost can be attached to while it is built on.
    pub(crate) aside: PathBuf,
    /// Whether overlayfs takes a tmpfs as its upper layer in a user namespace (Linux 6.6).
    pub(crate) tmp_overlay: bool,
}

impl Host {
    /// Reads them.
    pub(crate) fn read() -> Host {
        let (uid, gid) = (
            rustix::process::geteuid().as_raw(),
            rustix::process::getegid().as_raw(),
        );
        let root = uid == 0;
        let own = |id: u32| format!("{id} {id} 1\n");
        let (uid_map, gid_map) = if root {
            (
                identity("/proc/self/uid_map").unwrap_or_else(|| own(uid)),
                identity("/proc/self/gid_map").unwrap_or_else(|| own(gid)),
            )
        } else {
            (own(uid), own(gid))
        };
        let text = |text: String| CString::new(text).unwrap_or_default();
        Host {
            uid,
            gid,
            uid_map: text(uid_map),
            gid_map: text(gid_map),
            map_by_harness: root,
            landlock: super::landlock::version(),
            proc_read_only: if root { proc_names() } else { Vec::new() },
            copies: if root {
                Vec::new()
            } else {
                super::copies::read()
            },
            aside: ["/tmp", "/mnt", "/var", "/usr"]
                .iter()
                .map(PathBuf::from)
                .find(|path| path.is_dir())
                .unwrap_or_else(|| PathBuf::from("/")),
            tmp_overlay: kernel_at_least(6, 6),
        }
    }
}

/// All ids that this process's own namespace has, each mapped to itself.
fn identity(path: &str) -> Option<String> {
    let mut out = String::new();
    for line in std::fs::read_to_string(path).ok()?.lines() {
        let mut words = line.split_ascii_whitespace();
        let (inside, _, length) = (words.next()?, words.next()?, words.next()?);
        out.push_str(&format!("{inside} {inside} {length}\n"));
    }
    (!out.is_empty()).then_some(out)
}

/// Root of the cage is root of the host to the checks of these files, capabilities or not.
fn proc_names() -> Vec<CString> {
    use std::os::unix::fs::PermissionsExt;
    let mut names: Vec<CString> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let of_process = name
                .as_encoded_bytes()
                .first()
                .is_none_or(u8::is_ascii_digit);
            let writable = entry.metadata().is_ok_and(|meta| {
                meta.is_dir() || (meta.is_file() && meta.permissions().mode() & 0o222 != 0)
            });
            !of_process && writable
        })
        .filter_map(|entry| CString::new(entry.file_name().into_encoded_bytes()).ok())
        .collect();
    names.sort();
    names
}

fn kernel_at_least(major: u32, minor: u32) -> bool {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy();
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map(|word| word.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (major, minor)
}
