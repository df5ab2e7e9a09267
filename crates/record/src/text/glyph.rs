//! Which characters a reader can see.

pub(super) enum Glyph {
    /// It shows something of its own.
    Visible,
    /// It goes onto the character before it.
    Mark,
    /// It shows nothing, or it changes how other characters are shown.
    Invisible,
}

pub(super) fn glyph(c: char) -> Glyph {
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
