//! Files of root's that programs refuse when they seem to be nobody's.
//!
//! In an ordinary user's namespace only the user's own id exists, and what root owns belongs to the overflow id. A
//! program that checks the owner of its configuration then refuses it, so the cage shows copies.

use std::ffi::CString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Directories of such files. ssh(1) checks the owner of every file that its configuration includes.
const DIRECTORIES: [&str; 1] = ["/etc/ssh/ssh_config.d"];

/// Larger files are no configuration, in bytes.
const LARGEST: u64 = 64 << 10;
/// More files are not copied.
const MOST: usize = 64;

/// The files of one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Copies {
    pub(crate) directory: PathBuf,
    pub(crate) files: Vec<(CString, Vec<u8>)>,
}

/// Reads them. What cannot be read is left out, as the program could not read it either.
pub(crate) fn read() -> Vec<Copies> {
    DIRECTORIES
        .iter()
        .map(|directory| Copies {
            directory: PathBuf::from(directory),
            files: files(Path::new(directory)),
        })
        .filter(|copies| !copies.files.is_empty())
        .collect()
}

fn files(directory: &Path) -> Vec<(CString, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            entry
                .path()
                .metadata()
                .is_ok_and(|meta| meta.is_file() && meta.len() <= LARGEST)
        })
        .filter_map(|entry| {
            Some((
                CString::new(entry.file_name().into_vec()).ok()?,
                std::fs::read(entry.path()).ok()?,
            ))
        })
        .take(MOST)
        .collect();
    files.sort();
    files
}
