//! Hostile bytes as text (V11): reversible, on one line, without anything that
//! a terminal would obey or a reader would not see.
//!
//! The escapes are `\\`, `\n`, `\r`, `\t`, `\xHH` for a byte (below 0x20, 0x7f,
//! or not UTF-8) and `\u{H...}` for a character that is invisible, turns the
//! direction of writing, is an odd space, or is not assigned.

use std::borrow::Cow;
use std::fmt::Write;

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
        let mut marks = MARKS_IN_A_ROW;
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\0'..='\x1f' | '\x7f' => push_byte(out, u32::from(c)),
                _ if Some(c) == quote => {
                    out.push('\\');
                    out.push(c);
                }
                _ => {
                    let shown = match kind_of(c) {
                        Glyph::Visible => {
                            marks = 0;
                            true
                        }
                        // A mark goes onto the letter before it. A heap of them,
                        // or one without a letter, paints over other text.
                        Glyph::Mark => {
                            marks += 1;
                            marks <= MARKS_IN_A_ROW
                        }
                        Glyph::Invisible => false,
                    };
                    if shown {
                        out.push(c);
                        continue;
                    }
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
                }
            }
            if c.is_ascii() {
                marks = MARKS_IN_A_ROW;
            }
        }
        for byte in chunk.invalid() {
            push_byte(out, u32::from(*byte));
        }
    }
}

const MARKS_IN_A_ROW: usize = 2;

enum Glyph {
    Visible,
    Mark,
    Invisible,
}

fn kind_of(c: char) -> Glyph {
    if c.is_ascii() {
        return Glyph::Visible;
    }
    if INVISIBLE
        .iter()
        .any(|(from, to)| (*from..=*to).contains(&c))
    {
        return Glyph::Invisible;
    }
    // The standard library escapes what is not printable, and marks wherever
    // they are; after a letter it shows marks.
    if c.escape_debug().len() == 1 {
        return Glyph::Visible;
    }
    let mut buffer = [b'a'; 5];
    let end = 1 + c.len_utf8();
    if let Some(space) = buffer.get_mut(1..end) {
        c.encode_utf8(space);
    }
    let shown = buffer
        .get(..end)
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .is_some_and(|text| text.escape_debug().nth(1) == Some(c));
    if shown { Glyph::Mark } else { Glyph::Invisible }
}

/// Characters that count as printable and show nothing, beyond those that the
/// standard library does not count as printable.
const INVISIBLE: &[(char, char)] = &[
    ('\u{34f}', '\u{34f}'),     // combining grapheme joiner
    ('\u{115f}', '\u{1160}'),   // Hangul fillers
    ('\u{17b4}', '\u{17b5}'),   // Khmer inherent vowels
    ('\u{180b}', '\u{180f}'),   // Mongolian variation selectors
    ('\u{2800}', '\u{2800}'),   // empty Braille pattern
    ('\u{3164}', '\u{3164}'),   // Hangul filler
    ('\u{fe00}', '\u{fe0f}'),   // variation selectors
    ('\u{ffa0}', '\u{ffa0}'),   // half-width Hangul filler
    ('\u{e0100}', '\u{e01ef}'), // variation selectors
];

fn is_bare(c: char) -> bool {
    !matches!(
        c,
        ' ' | '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '\\' | '\0'..='\x1f' | '\x7f'
    ) && matches!(kind_of(c), Glyph::Visible)
}

fn push_byte(out: &mut String, byte: u32) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\x{byte:02x}");
}

/// Text of whybox's own or of the policy's, made safe for a line. Backslashes stay,
/// since nobody needs to read it back.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| {
        c == ' ' || c == '\\' || matches!(c, '"' | '\'' | '`' | '(' | ')' | '[' | ']') || is_bare(c)
    }) {
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

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            // Writing to a string cannot fail.
            let _ = write!(out, "{byte:02x}");
            out
        })
}

pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |d: u8| char::from(d).to_digit(16);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs
        .iter()
        .map(|[high, low]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok())
        .collect()
}

/// Bytes that are an escaped string in JSON.
pub(crate) mod escaped {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::escape(bytes))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        super::unescape(&text).map_err(D::Error::custom)
    }
}

/// The same, or null.
pub(crate) mod escaped_option {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[expect(clippy::ref_option, reason = "the shape that serde calls")]
    pub(crate) fn serialize<S: Serializer>(
        bytes: &Option<Vec<u8>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        bytes.as_deref().map(super::escape).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        Option::<String>::deserialize(from)?
            .map(|text| super::unescape(&text).map_err(D::Error::custom))
            .transpose()
    }
}
