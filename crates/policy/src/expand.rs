//! From the text of a path or glob to an absolute, normal pattern.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::{Context, ErrorKind, Pattern, PolicyError};

pub(crate) fn check_bytes(text: &OsStr) -> Result<(), PolicyError> {
    if text.is_empty() {
        return Err(PolicyError::new(ErrorKind::Path, "a path is empty; write `.` for the directory itself"));
    }
    if text.as_bytes().contains(&0) {
        return Err(PolicyError::new(ErrorKind::Path, format!("{text:?} has a NUL byte, which no path can have")));
    }
    Ok(())
}

/// Lexical normalisation of an absolute path: `//`, `.`, `..`, trailing slashes.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => out.push(name),
            Component::ParentDir => {
                out.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    out
}

pub(crate) fn parse(text: &OsStr, base: &Path, _ctx: &Context) -> Result<Pattern, PolicyError> {
    check_bytes(text)?;
    Pattern::path(base.join(text))
}
