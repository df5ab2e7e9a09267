//! The mounts of the host, and which of them must not be touched: one dead
//! server behind a path would stop every thread that walks over it.

/// File systems behind a network, or behind another program, that may never
/// answer. `proc` is among them because a cage has its own, and because
/// `/proc/PID/root` leads back into the ghost that is asking.
const NEVER_EXAMINED: &[&str] = &[
    "9p",
    "afs",
    "autofs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "fuse",
    "fuseblk",
    "gfs2",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncp",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "orangefs",
    "proc",
    "pvfs2",
    "smb3",
    "smbfs",
];

/// One mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) id: u64,
    pub(super) point: Vec<u8>,
    /// Nothing is looked up on it.
    pub(super) avoided: bool,
}

/// A snapshot of `/proc/self/mountinfo`, without the root: where the root is
/// dead, everything is, and some containers have a root that is FUSE.
#[derive(Clone, Debug, Default)]
pub(super) struct Mounts {
    mounts: Vec<Mount>,
}

impl Mounts {
    /// Reads the text of a `mountinfo` file. Lines that make no sense are
    /// passed over.
    pub(super) fn parse(text: &[u8]) -> Self {
        let mut mounts: Vec<Mount> = Vec::new();
        for mount in text.split(|&byte| byte == b'\n').filter_map(parse_line) {
            if mount.point == b"/" {
                continue;
            }
            // A later mount at the same point covers the earlier one.
            mounts.retain(|earlier| earlier.point != mount.point);
            mounts.push(mount);
        }
        Self { mounts }
    }

    /// Whether `path` is on a mount that is avoided, or beneath one.
    pub(super) fn avoided(&self, path: &[u8]) -> bool {
        self.mounts
            .iter()
            .any(|mount| mount.avoided && is_within(path, &mount.point))
    }

    /// The mount that `path` is on, unless it is the root.
    pub(super) fn of(&self, path: &[u8]) -> Option<&Mount> {
        let within = self
            .mounts
            .iter()
            .filter(|mount| is_within(path, &mount.point));
        within.max_by_key(|mount| mount.point.len())
    }

    /// Whether this very mount is still there.
    pub(super) fn has(&self, mount: &Mount) -> bool {
        self.mounts
            .iter()
            .any(|known| known.id == mount.id && known.point == mount.point)
    }
}

/// Whether `path` is `above` or beneath it, by whole components.
pub(super) fn is_within(path: &[u8], above: &[u8]) -> bool {
    above == b"/"
        || path
            .strip_prefix(above)
            .is_some_and(|rest| rest.first().is_none_or(|&byte| byte == b'/'))
}

/// `ID PARENT DEVICE ROOT POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS`
fn parse_line(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|&byte| byte == b' ');
    let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let point = unescape(fields.nth(3)?);
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    let avoided =
        kind.starts_with(b"fuse.") || NEVER_EXAMINED.iter().any(|never| never.as_bytes() == kind);
    Some(Mount { id, point, avoided })
}

/// The kernel writes blanks, newlines and backslashes as `\` and three octal
/// digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|digits| {
            byte == b'\\' && digits.iter().all(|digit| (b'0'..=b'7').contains(digit))
        });
        if let Some(digits) = octal {
            let value = digits
                .iter()
                .fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            plain.push(u8::try_from(value).unwrap_or(b'?'));
            rest = after.get(3..).unwrap_or_default();
        } else {
            plain.push(byte);
            rest = after;
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_of_networks_and_of_programs_are_avoided_with_all_beneath() {
        let mounts = Mounts::parse(
            b"21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
              30 21 0:40 / /mnt/my\\040share rw shared:2 master:3 - nfs4 host:/x rw\n\
              31 21 0:41 / /home/u/remote rw - fuse.sshfs u@host: rw\n\
              32 21 0:42 / /mnt/local rw - tmpfs tmpfs rw\n\
              nonsense\n\n",
        );
        for avoided in ["/mnt/my share", "/mnt/my share/a/b", "/home/u/remote"] {
            assert!(mounts.avoided(avoided.as_bytes()), "{avoided}");
        }
        for examined in ["/", "/mnt", "/mnt/my shares", "/mnt/local/x", "/home/u"] {
            assert!(!mounts.avoided(examined.as_bytes()), "{examined}");
        }
        assert_eq!(mounts.of(b"/mnt/local/x").map(|mount| mount.id), Some(32));
        assert_eq!(mounts.of(b"/etc/passwd"), None);
    }

    #[test]
    fn a_later_mount_covers_an_earlier_one_at_the_same_point() {
        let covered = Mounts::parse(b"1 0 0:1 / /m rw - nfs a rw\n2 1 0:2 / /m rw - tmpfs b rw\n");
        assert!(!covered.avoided(b"/m/x"));
        let covering = Mounts::parse(b"1 0 0:1 / /m rw - tmpfs a rw\n2 1 0:2 / /m rw - nfs b rw\n");
        assert!(covering.avoided(b"/m/x"));
    }

    #[test]
    fn a_root_that_is_fuse_is_examined() {
        assert!(!Mounts::parse(b"1 0 0:1 / / rw - fuse.fuse-overlayfs o rw\n").avoided(b"/etc"));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(text in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            let _ = Mounts::parse(&text).avoided(b"/a");
        }
    }
}
