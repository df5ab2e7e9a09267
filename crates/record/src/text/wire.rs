//! Bytes in JSON.

use std::fmt::Write;

use super::glyph::{Glyph, glyph};

/// JSON with all that a terminal would obey, or a reader would not see, in JSON's own
/// escapes. In JSON such characters are only ever inside strings.
pub(crate) fn plain_json(json: String) -> String {
    let plain = |c: char| c != '\x7f' && matches!(glyph(c), Glyph::Visible | Glyph::Mark);
    if json.chars().all(plain) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if plain(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
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
        to.serialize_str(&crate::text::escape(bytes))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        crate::text::unescape(&text).map_err(D::Error::custom)
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
        bytes.as_deref().map(crate::text::escape).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        Option::<String>::deserialize(from)?
            .map(|text| crate::text::unescape(&text).map_err(D::Error::custom))
            .transpose()
    }
}
