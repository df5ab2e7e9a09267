//! Walking a path as the kernel does, and remembering every name on the way.
//!
//! The names are those of the host, which the cage shows too; `/proc` is the cage's own, so
//! its links to processes are followed by what the trace told.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Links that are followed before a walk is given up, as in the kernel.
const LINKS: usize = 40;

/// What a walk needs to know.
pub trait Names {
    /// Where the symlink at this path leads, if one is there.
    fn link(&self, path: &Path) -> Option<PathBuf>;
    /// What the link of `/proc` at this path stands for.
    fn process_link(&self, path: &Path) -> Option<PathBuf>;
}

/// The way to a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Every name that was looked up, without symlinks above it, in order.
    pub passed: Vec<PathBuf>,
    /// The end: absolute, no `.`, `..`, doubled slash or symlink but at the end where it was
    /// not to be followed.
    pub end: PathBuf,
}

/// Walks `path` from `from`, an absolute path without symlinks.
///
/// ```
/// use std::path::{Path, PathBuf};
/// use whybox_oracle::walk::{Names, walk};
/// struct One;
/// impl Names for One {
///     fn link(&self, path: &Path) -> Option<PathBuf> {
///         (path == Path::new("/a/l")).then(|| "../b".into())
///     }
///     fn process_link(&self, _: &Path) -> Option<PathBuf> {
///         None
///     }
/// }
/// let walked = walk(&One, Path::new("/a"), b"./l//x/../y", true);
/// assert_eq!(walked.end, Path::new("/b/y"));
/// assert_eq!(walked.passed, ["/a/l", "/b", "/b/x", "/b/y"].map(PathBuf::from));
/// ```
#[must_use]
pub fn walk(names: &impl Names, from: &Path, path: &[u8], follow: bool) -> Walk {
    let mut walk = Walk {
        passed: Vec::new(),
        end: if path.starts_with(b"/") {
            PathBuf::from("/")
        } else {
            from.to_path_buf()
        },
    };
    // What is still to come, the next at the end.
    let mut ahead: Vec<Vec<u8>> = components(path);
    // `link/` asks for what the link leads to.
    let follow = follow || path.ends_with(b"/");
    let mut links = 0;
    while let Some(name) = ahead.pop() {
        if name == b"." {
            continue;
        }
        if name == b".." {
            walk.end.pop();
            continue;
        }
        let here = walk.end.join(OsStr::from_bytes(&name));
        walk.passed.push(here.clone());
        let last = ahead.is_empty();
        if (!last || follow) && links < LINKS {
            if let Some(target) = names.process_link(&here) {
                links += 1;
                walk.end = target;
                continue;
            }
            if let Some(target) = names.link(&here) {
                links += 1;
                if target.is_absolute() {
                    walk.end = PathBuf::from("/");
                }
                ahead.extend(components(target.as_os_str().as_bytes()));
                continue;
            }
        }
        walk.end = here;
    }
    walk
}

/// The components of a path, the first one last.
fn components(path: &[u8]) -> Vec<Vec<u8>> {
    let parts = path
        .split(|byte| *byte == b'/')
        .filter(|part| !part.is_empty());
    let mut parts: Vec<Vec<u8>> = parts.map(<[u8]>::to_vec).collect();
    parts.reverse();
    parts
}
