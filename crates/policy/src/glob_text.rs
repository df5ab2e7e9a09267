//! The text of globs: where the literal part ends, what is escaped.
//!
//! A backslash takes the meaning from the character after it, but only in a text that has a glob character at all: a
//! plain path may have backslashes of its own.

use crate::{ErrorKind, PolicyError};

fn error(text: impl Into<String>) -> PolicyError {
    PolicyError::new(ErrorKind::Glob, text)
}

/// Whether a text is read as a glob (perhaps one whose every special character is escaped).
pub(crate) fn has_glob(text: &[u8]) -> bool {
    text.iter().any(|b| matches!(b, b'*' | b'?' | b'[' | b'{'))
}

/// Writes literal text so that it reads back as itself within a glob.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A glob's leading literal components, unescaped, and the pattern from the first special component on.
pub(crate) struct Pieces {
    pub(crate) literal: Vec<String>,
    /// `None` when every special character was escaped, or the pattern was `**` alone.
    pub(crate) pattern: Option<String>,
}

/// Splits a glob that is relative to some directory.
pub(crate) fn split(text: &str) -> Result<Pieces, PolicyError> {
    let mut literal = Vec::new();
    let mut pattern: Vec<&str> = Vec::new();
    for component in components(text)? {
        if pattern.is_empty()
            && let Some(name) = unescape(component)
        {
            literal.push(name);
        } else if component
            .split(['/', ',', '{', '}'])
            .any(|part| part == "..")
        {
            return Err(error(format!(
                "bad glob {text:?}: `..` cannot follow a wildcard; name the directory itself"
            )));
        } else if component != "**"
            && component.contains("**")
            && !component.contains(['{', '[', '\\'])
        {
            return Err(error(format!(
                "bad glob {text:?}: `**` must be a whole component, as in `**/name`"
            )));
        } else if !(component == "." || (component == "**" && pattern.last() == Some(&"**"))) {
            pattern.push(component);
        }
    }
    // A rule covers everything beneath what it names, so `dir/**` says the same as `dir`.
    if pattern.last() == Some(&"**") {
        pattern.pop();
    }
    let pattern = (!pattern.is_empty()).then(|| pattern.join("/"));
    Ok(Pieces { literal, pattern })
}

/// The components of a glob; a slash within braces does not separate.
fn components(text: &str) -> Result<Vec<&str>, PolicyError> {
    let bytes = text.as_bytes();
    let (mut out, mut start, mut at, mut braces) = (Vec::new(), 0, 0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1) == Some(&b'/') => {
                return Err(error(format!(
                    "bad glob {text:?}: a backslash cannot stand before a slash"
                )));
            }
            b'\\' => at += 1,
            b'[' => at = class_end(text, at)?,
            b'{' => braces += 1,
            b'}' => braces = braces.saturating_sub(1),
            b'/' if braces == 0 => {
                out.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    out.extend(text.get(start..));
    out.retain(|c| !c.is_empty());
    Ok(out)
}

/// The place of the `]` that closes the class opened at `open`.
fn class_end(text: &str, open: usize) -> Result<usize, PolicyError> {
    let bytes = text.as_bytes();
    let mut at = open + 1;
    if matches!(bytes.get(at), Some(b'!' | b'^')) {
        at += 1;
    }
    // A `]` that comes first stands for itself.
    if bytes.get(at) == Some(&b']') {
        at += 1;
    }
    while let Some(byte) = bytes.get(at) {
        match byte {
            b']' => return Ok(at),
            b'/' => break,
            _ => at += 1,
        }
    }
    Err(error(format!(
        "bad glob {text:?}: `[` without `]`; write `\\[` for the character itself"
    )))
}

/// The plain name that a component stands for; `None` when it has a special character that is not escaped.
fn unescape(component: &str) -> Option<String> {
    let mut name = String::with_capacity(component.len());
    let mut chars = component.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' => return None,
            '\\' => name.push(chars.next()?),
            _ => name.push(c),
        }
    }
    Some(name)
}
