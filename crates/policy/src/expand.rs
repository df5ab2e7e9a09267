//! From the text of a path or glob to an absolute, normal pattern.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use crate::glob_text::{self, Pieces};
use crate::{Context, ErrorKind, Glob, Pattern, PolicyError};

/// Linux's `PATH_MAX`: nothing longer can ever be named.
const LONGEST: usize = 4096;

fn error(text: impl Into<String>) -> PolicyError {
    PolicyError::new(ErrorKind::Path, text)
}

/// Refuses what can be no path at all.
pub(crate) fn check_bytes(text: &OsStr) -> Result<(), PolicyError> {
    if text.is_empty() {
        return Err(error("a path is empty; write `.` for the directory itself"));
    }
    if text.as_bytes().contains(&0) {
        return Err(error(format!(
            "{text:?} has a NUL byte, which no path can have"
        )));
    }
    if text.len() >= LONGEST {
        return Err(error(format!(
            "a path has {} bytes; {} is the most",
            text.len(),
            LONGEST - 1
        )));
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

/// Reads a pattern: variables at its start, globs, relative to `base`.
pub(crate) fn parse(text: &OsStr, base: &Path, ctx: &Context) -> Result<Pattern, PolicyError> {
    check_bytes(text)?;
    let (root, rest) = split_root(text.as_bytes(), base, ctx)?;
    if !root.is_absolute() {
        return Err(error(format!(
            "{text:?} is relative to {root:?}, which is not absolute"
        )));
    }
    if !glob_text::has_glob(rest) {
        let path = normalize(&root.join(OsStr::from_bytes(rest)));
        check_bytes(path.as_os_str())?;
        return Ok(Pattern::Path(path));
    }
    let rest = std::str::from_utf8(rest).map_err(|_| {
        let text = format!("the glob {text:?} is not UTF-8; write a backslash before `*`, `?`, `[` and `{{` in a plain name");
        PolicyError::new(ErrorKind::Glob, text)
    })?;
    beneath(root, rest)
}

/// A glob beneath a literal directory.
pub(crate) fn beneath(mut path: PathBuf, glob: &str) -> Result<Pattern, PolicyError> {
    if glob.contains('\0') {
        return Err(error(format!(
            "the glob {glob:?} has a NUL byte, which no path can have"
        )));
    }
    let Pieces { literal, pattern } = glob_text::split(glob)?;
    literal.iter().for_each(|name| path.push(name));
    let path = normalize(&path);
    check_bytes(path.as_os_str())?;
    match pattern {
        Some(pattern) => Ok(Pattern::Glob(Glob::new(path, &pattern)?)),
        None => Ok(Pattern::Path(path)),
    }
}

/// The directory that a text is relative to, and what remains of the text: no leading slash, no variable.
fn split_root<'t>(
    text: &'t [u8],
    base: &Path,
    ctx: &Context,
) -> Result<(PathBuf, &'t [u8]), PolicyError> {
    let strip = |rest: &'t [u8]| {
        let slashes = rest.iter().take_while(|b| **b == b'/').count();
        rest.get(slashes..).unwrap_or_default()
    };
    match text {
        [b'/', rest @ ..] => Ok((PathBuf::from("/"), strip(rest))),
        [b'~'] => Ok((variable("HOME", ctx)?, &[])),
        [b'~', b'/', rest @ ..] => Ok((variable("HOME", ctx)?, strip(rest))),
        [b'~', ..] => Err(error(format!(
            "{:?}: only `~` and `~/` stand for a home directory; write `./~...` for a name that starts so",
            OsStr::from_bytes(text)
        ))),
        [b'$', rest @ ..] => {
            let (name, rest) = split_variable(rest).ok_or_else(|| {
                error(format!(
                    "{:?}: a variable is `$NAME` or `${{NAME}}`, then `/` or the end; write `./$...` for a name that starts so",
                    OsStr::from_bytes(text)
                ))
            })?;
            Ok((variable(name, ctx)?, strip(rest)))
        }
        _ => Ok((base.to_owned(), text)),
    }
}

/// Splits `NAME/rest` or `{NAME}/rest`.
fn split_variable(text: &[u8]) -> Option<(&str, &[u8])> {
    let (name, rest) = match text.strip_prefix(b"{") {
        Some(braced) => {
            let end = braced.iter().position(|b| *b == b'}')?;
            (braced.get(..end)?, braced.get(end + 1..)?)
        }
        None => text.split_at(text.iter().position(|b| *b == b'/').unwrap_or(text.len())),
    };
    let word = !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
    (word && (rest.is_empty() || rest.starts_with(b"/")))
        .then_some((std::str::from_utf8(name).ok()?, rest))
}

fn variable(name: &str, ctx: &Context) -> Result<PathBuf, PolicyError> {
    ctx.variable(name).ok_or_else(|| {
        let known = Context::VARIABLES;
        if known.contains(&name) {
            let why = match name {
                "REPO" | "REPO_COMMON" => "no git repository encloses the working directory",
                "CWD" => "the working directory is too wide",
                "XDG_RUNTIME_DIR" => "it is not set",
                _ => "HOME is not set",
            };
            PolicyError::new(
                ErrorKind::Variable,
                format!("`${name}` has no value here: {why}"),
            )
        } else {
            let text = format!(
                "unknown variable `${name}`; there are ${}",
                known.join(", $")
            );
            PolicyError::new(ErrorKind::Path, text)
        }
    })
}

/// A path or glob as text that [`parse`] reads back, when it is UTF-8.
pub(crate) fn to_text(pattern: &Pattern) -> Option<String> {
    match pattern {
        Pattern::Path(path) => {
            let text = path.to_str()?;
            Some(if glob_text::has_glob(text.as_bytes()) {
                glob_text::escape(text)
            } else {
                text.to_owned()
            })
        }
        Pattern::Glob(glob) => {
            let base = glob_text::escape(glob.base().to_str()?);
            Some(format!("{}/{}", base.trim_end_matches('/'), glob.pattern()))
        }
    }
}

/// Bytes from pairs of hexadecimal digits.
pub(crate) fn from_hex(text: &str) -> Option<std::ffi::OsString> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect();
    let digits = digits?;
    let (pairs, []) = digits.as_chunks::<2>() else {
        return None;
    };
    Some(std::ffi::OsString::from_vec(
        pairs.iter().map(|[high, low]| high << 4 | low).collect(),
    ))
}

/// The reverse of [`from_hex`].
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
