//! The arguments and the outcome of one call.

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A string of the program's memory.
    Text(Vec<u8>),
    /// The start of a string that goes on: longer than a path or a name can be.
    Start(Vec<u8>),
    /// A descriptor, with the path that it has.
    Descriptor(i32, Vec<u8>),
    /// `AT_FDCWD`, with the working directory where it is told.
    Here(Option<Vec<u8>>),
    /// Anything else, as it stands.
    Other(String),
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded.
    Value {
        /// The value; for a new thread the tracer's number of it.
        number: i64,
        /// The path of a new descriptor.
        path: Option<Vec<u8>>,
    },
    /// It failed, with the name of the error.
    Failed(String),
    /// Nobody knows: its thread was killed before it ended, or it is to be started again.
    Unknown,
}

/// Reads the arguments after the opening parenthesis, and gives what follows the closing
/// one.
///
/// ```
/// use whybox_oracle::trace::{Value, arguments};
/// let text = br#"3<\x2f\x61>, "\x78", {st_mode=S_IFREG, ...}, 1<<2|AT_EMPTY_PATH) = 0"#;
/// let (read, rest) = arguments(text).unwrap();
/// assert_eq!(read[0], Value::Descriptor(3, b"/a".to_vec()));
/// assert_eq!(read[1], Value::Text(b"x".to_vec()));
/// assert_eq!(read[3], Value::Other("1<<2|AT_EMPTY_PATH".to_owned()));
/// assert_eq!(rest, b" = 0");
/// ```
#[must_use]
pub fn arguments(text: &[u8]) -> Option<(Vec<Value>, &[u8])> {
    let mut values = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let mut depth = 0_u32;
    loop {
        match *text.get(at)? {
            b'"' => at = end_of(text, at, b'"')?,
            b'<' if annotates(text, at) => at = end_of(text, at, b'>')?,
            b'/' if text.get(at + 1) == Some(&b'*') => {
                let end = text.get(at..)?.windows(2).position(|two| two == b"*/")?;
                at += end + 1;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                let last = text.get(start..at)?.trim_ascii();
                if !last.is_empty() {
                    values.push(value(last)?);
                }
                return Some((values, text.get(at + 1..)?));
            }
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                values.push(value(text.get(start..at)?.trim_ascii())?);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether a `<` opens the note behind a descriptor: `3<...>`, `AT_FDCWD<...>`, and not a
/// shift such as `1<<5`.
fn annotates(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    let after = text.get(at + 1);
    matches!(before, Some(b'0'..=b'9' | b'D')) && !matches!(after, Some(b'<' | b' ' | b'=') | None)
}

/// The position of the next `mark` after `at`. With every byte of a string in hexadecimal
/// no mark stands inside one.
fn end_of(text: &[u8], at: usize, mark: u8) -> Option<usize> {
    let inside = text.get(at + 1..)?;
    Some(at + 1 + inside.iter().position(|byte| *byte == mark)?)
}

fn value(text: &[u8]) -> Option<Value> {
    if let Some(quoted) = text.strip_prefix(b"\"") {
        return match quoted.strip_suffix(b"\"...") {
            Some(start) => Some(Value::Start(hexadecimal(start)?)),
            None => Some(Value::Text(hexadecimal(quoted.strip_suffix(b"\"")?)?)),
        };
    }
    if let Some(note) = text.strip_prefix(b"AT_FDCWD") {
        return Some(Value::Here(noted(note)?));
    }
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 && text.get(digits) == Some(&b'<') && annotates(text, digits) {
        let number = std::str::from_utf8(text.get(..digits)?)
            .ok()?
            .parse()
            .ok()?;
        return Some(Value::Descriptor(number, noted(text.get(digits..)?)??));
    }
    Some(Value::Other(String::from_utf8_lossy(text).into_owned()))
}

/// The path in `<...>`, which may be followed by `(deleted)`. The inner `None` is no note.
fn noted(text: &[u8]) -> Option<Option<Vec<u8>>> {
    let Some(inner) = text.strip_prefix(b"<") else {
        return Some(None);
    };
    let end = inner.iter().position(|byte| *byte == b'>')?;
    Some(Some(hexadecimal(inner.get(..end)?)?))
}

/// Reads what follows the closing parenthesis.
///
/// ```
/// use whybox_oracle::trace::{Outcome, outcome};
/// let new = Outcome::Value { number: 3205, path: None };
/// assert_eq!(outcome(br" = 5<\x61> /* 3205 in strace's PID NS */"), Some(new));
/// assert_eq!(outcome(b" = ? ERESTARTSYS (To be restarted)"), Some(Outcome::Unknown));
/// ```
#[must_use]
pub fn outcome(text: &[u8]) -> Option<Outcome> {
    // What the call wrote back may stand before the sign: ` => {parent_tid=[5]} = 5`.
    let sign = text.windows(3).rposition(|part| part == b" = ")?;
    let value = text.get(sign + 3..)?.trim_ascii();
    if value.starts_with(b"?") {
        return Some(Outcome::Unknown);
    }
    if let Some(error) = value.strip_prefix(b"-1 ") {
        let name = error.split(|byte| *byte == b' ').next()?;
        return Some(Outcome::Failed(String::from_utf8(name.to_vec()).ok()?));
    }
    let translated = value
        .split(|byte| *byte == b' ')
        .skip_while(|word| *word != b"/*")
        .nth(1);
    let told = std::str::from_utf8(value).ok()?;
    if told.ends_with("PID NS */") {
        let number = std::str::from_utf8(translated?).ok()?.parse().ok()?;
        return Some(Outcome::Value { number, path: None });
    }
    let end = told.find(['<', ' ']).unwrap_or(told.len());
    let (number, rest) = told.split_at(end);
    let number = match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?.cast_signed(),
        None => number.parse().ok()?,
    };
    let path = noted(rest.as_bytes())?;
    Some(Outcome::Value { number, path })
}

/// Bytes from `\x61\x62`; other characters, as in `socket:[1]`, stand for themselves.
pub(super) fn hexadecimal(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        if let Some(digits) = rest.strip_prefix(b"\\x") {
            let two = std::str::from_utf8(digits.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(two, 16).ok()?);
            rest = digits.get(2..)?;
        } else if first == b'\\' {
            return None;
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    Some(bytes)
}
