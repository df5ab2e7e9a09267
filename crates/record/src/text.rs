//! Hostile bytes as text (V11): reversible, on one line, without anything that
//! a terminal would obey or a reader would not see.
//!
//! The escapes are `\\`, `\n`, `\r`, `\t`, `\xHH` for a byte (below 0x20, 0x7f,
//! or not UTF-8) and `\u{H...}` for a character that is invisible, turns the
//! direction of writing, is an odd space, or is not assigned.

mod glyph;
mod wire;

use std::borrow::Cow;
use std::fmt::Write;

use glyph::{Glyph, glyph};
pub(crate) use wire::{escaped, escaped_option, from_hex, plain_json, to_hex};

/// Escapes bytes so that the result is plain, visible text from which
/// [`unescape`] recovers them.
///
/// ```
/// use whybox_record::text::{escape, unescape};
/// assert_eq!(escape("/home/ü/a b".as_bytes()), "/home/ü/a b");
/// assert_eq!(escape(b"a\n\x1b[2J\\\xff"), r"a\n\x1b[2J\\\xff");
/// assert_eq!(escape("gpj.\u{202e}exe".as_bytes()), r"gpj.\u{202e}exe");
/// assert_eq!(unescape(r"a\n\x1b[2J\\\xff").unwrap(), b"a\n\x1b[2J\\\xff");
/// ```
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    escape_into(&mut out, bytes, None);
    out
}

/// What stands for the bytes as one word of a line: the bytes as they are where
/// they are plain, else in double quotes, escaped, with `\"` for a quote.
///
/// Plain means: not empty, all visible, and no space, quote, bracket, parenthesis
/// or backslash. So a word without quotes never contains what separates words, and
/// a word with quotes ends at the next quote that has no backslash before it.
///
/// ```
/// use whybox_record::text::{quote, unquote};
/// assert_eq!(quote(b"/etc/shadow"), "/etc/shadow");
/// assert_eq!(quote(b"/a (hidden)"), r#""/a (hidden)""#);
/// assert_eq!(unquote(r#""/a (hidden)""#).unwrap(), b"/a (hidden)");
/// ```
#[must_use]
pub fn quote(bytes: &[u8]) -> Cow<'_, str> {
    if !bytes.is_empty()
        && let Ok(text) = std::str::from_utf8(bytes)
        && text.chars().all(is_bare)
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(always_quote(bytes))
}

/// Like [`quote`], in quotes in any case.
pub(crate) fn always_quote(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 4);
    out.push('"');
    escape_into(&mut out, bytes, Some('"'));
    out.push('"');
    out
}

/// Why an escaped text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}; write a backslash as two")]
#[non_exhaustive]
pub struct UnescapeError {
    /// What is wrong.
    pub what: &'static str,
    /// The byte of the text at which it is wrong.
    pub at: usize,
}

/// Recovers the bytes that [`escape`] was given.
///
/// # Errors
/// Where a backslash is not the start of one of the escapes.
pub fn unescape(text: &str) -> Result<Vec<u8>, UnescapeError> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        out.extend_from_slice(plain.as_bytes());
        let at = text.len() - escaped.len() - 1;
        rest = unescape_one(escaped, &mut out).map_err(|what| UnescapeError { what, at })?;
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

/// Recovers the bytes that [`quote`] was given.
///
/// # Errors
/// Where a quote is missing, or the text is not one word of a line.
pub fn unquote(word: &str) -> Result<Vec<u8>, UnescapeError> {
    let wrong = |what| UnescapeError { what, at: 0 };
    let Some(inner) = word.strip_prefix('"') else {
        return if !word.is_empty() && word.chars().all(is_bare) {
            Ok(word.as_bytes().to_vec())
        } else {
            Err(wrong("an odd character without quotes"))
        };
    };
    let inner = inner.strip_suffix('"').ok_or(wrong("no closing quote"))?;
    let mut backslash = false;
    for c in inner.chars() {
        if c == '"' && !backslash {
            return Err(wrong("a quote without a backslash"));
        }
        backslash = c == '\\' && !backslash;
    }
    if backslash {
        return Err(wrong("no closing quote"));
    }
    unescape(inner)
}

/// Reads the escape after a backslash, and gives what follows it.
fn unescape_one<'a>(escaped: &'a str, out: &mut Vec<u8>) -> Result<&'a str, &'static str> {
    let mut chars = escaped.chars();
    match chars.next() {
        Some(c @ ('\\' | '"')) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        Some('n') => out.push(b'\n'),
        Some('r') => out.push(b'\r'),
        Some('t') => out.push(b'\t'),
        Some('x') => {
            let digits = chars.as_str().get(..2).ok_or("an unfinished \\x")?;
            let byte = from_hex(digits).ok_or("a \\x without two digits")?;
            out.extend_from_slice(&byte);
            return Ok(chars.as_str().get(2..).unwrap_or_default());
        }
        Some('u') => {
            let (digits, rest) = chars
                .as_str()
                .strip_prefix('{')
                .and_then(|inner| inner.split_once('}'))
                .ok_or("an unfinished \\u{")?;
            if digits.len() > 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err("a \\u{ without a number");
            }
            let c = u32::from_str_radix(digits, 16)
                .ok()
                .and_then(char::from_u32)
                .ok_or("a \\u{ that is no character")?;
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return Ok(rest);
        }
        _ => return Err("an unknown escape"),
    }
    Ok(chars.as_str())
}

fn escape_into(out: &mut String, bytes: &[u8], quote: Option<char>) {
    for chunk in bytes.utf8_chunks() {
        // A mark goes onto the letter before it. A heap of them, or one without a
        // letter, would paint over other text.
        let mut room_for_marks = 0;
        for c in chunk.valid().chars() {
            let room = std::mem::take(&mut room_for_marks);
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\0'..='\x1f' | '\x7f' => push_byte(out, u32::from(c)),
                _ if Some(c) == quote => out.extend(['\\', c]),
                _ => match glyph(c) {
                    Glyph::Visible => {
                        out.push(c);
                        room_for_marks = if c.is_alphanumeric() {
                            MARKS_IN_A_ROW
                        } else {
                            0
                        };
                    }
                    Glyph::Mark if room > 0 => {
                        out.push(c);
                        room_for_marks = room - 1;
                    }
                    Glyph::Mark | Glyph::Invisible => {
                        // Writing to a string cannot fail.
                        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
                    }
                },
            }
        }
        for byte in chunk.invalid() {
            push_byte(out, u32::from(*byte));
        }
    }
}

/// Marks that a letter may carry, as Vietnamese needs.
const MARKS_IN_A_ROW: usize = 2;

fn is_bare(c: char) -> bool {
    !matches!(
        c,
        ' ' | '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '\\' | '\0'..='\x1f' | '\x7f'
    ) && matches!(glyph(c), Glyph::Visible)
}

fn push_byte(out: &mut String, byte: u32) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\x{byte:02x}");
}

/// Text of whybox's own or of the policy's, made safe for a line. Backslashes stay,
/// since nobody needs to read it back.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let plain = |c: char| is_bare(c) || matches!(c, ' '..='~');
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(escape(text.as_bytes()))
}

/// The first `max` bytes, less where that would split a character.
pub(crate) fn cut(bytes: &[u8], max: usize) -> &[u8] {
    let Some(kept) = bytes.get(..max) else {
        return bytes;
    };
    if kept.len() == bytes.len() {
        return kept;
    }
    // A character that the cut splits is a valid start at the very end.
    match std::str::from_utf8(kept) {
        Err(error) if error.error_len().is_none() => {
            kept.get(..error.valid_up_to()).unwrap_or(kept)
        }
        _ => kept,
    }
}
