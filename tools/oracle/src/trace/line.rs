//! One line of a trace: who, and what sort of thing it tells.

use super::value::hexadecimal;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The thread that it is about, as the tracer numbers it.
    pub thread: u32,
    /// What the thread calls itself.
    pub comm: Vec<u8>,
    /// What it tells.
    pub rest: Rest<'a>,
}

/// What a line tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest<'a> {
    /// A whole call.
    Call(&'a [u8]),
    /// The start of one, up to where another thread came between.
    Unfinished(&'a [u8]),
    /// The end of one.
    Resumed(&'a [u8]),
    /// The thread took over the place of the first thread of its process; this is its old
    /// number.
    Superseded(u32),
    /// The thread ended.
    Exited,
    /// A signal or a stop.
    Signal,
}

/// Reads one line, without its newline.
///
/// ```
/// use whybox_oracle::trace::{Rest, line};
/// let read = line(br"31<\x6c\x73> chdir() = 0").unwrap();
/// assert_eq!((read.thread, &read.comm[..]), (31, &b"ls"[..]));
/// assert_eq!(read.rest, Rest::Call(b"chdir() = 0"));
/// assert_eq!(line(b"no trace"), None);
/// ```
#[must_use]
pub fn line(bytes: &[u8]) -> Option<Line<'_>> {
    let digits = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let thread = std::str::from_utf8(bytes.get(..digits)?)
        .ok()?
        .parse()
        .ok()?;
    let mut rest = bytes.get(digits..)?;
    let mut comm = Vec::new();
    if let Some(named) = rest.strip_prefix(b"<") {
        let end = named.iter().position(|byte| *byte == b'>')?;
        comm = hexadecimal(named.get(..end)?)?;
        rest = named.get(end + 1..)?;
    }
    let rest = what(rest.trim_ascii())?;
    Some(Line { thread, comm, rest })
}

fn what(rest: &[u8]) -> Option<Rest<'_>> {
    if let Some(note) = rest.strip_prefix(b"+++ ") {
        if let Some(by) = note.strip_prefix(b"superseded by execve in pid ") {
            let digits = by.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let old = std::str::from_utf8(by.get(..digits)?).ok()?.parse().ok()?;
            return Some(Rest::Superseded(old));
        }
        return Some(Rest::Exited);
    }
    if rest.starts_with(b"--- ") {
        return Some(Rest::Signal);
    }
    if let Some(resumed) = rest.strip_prefix(b"<... ") {
        const MARK: &[u8] = b" resumed>";
        let at = resumed.windows(MARK.len()).position(|part| part == MARK)?;
        return Some(Rest::Resumed(resumed.get(at + MARK.len()..)?));
    }
    if let Some(start) = rest.strip_suffix(b"<unfinished ...>") {
        return Some(Rest::Unfinished(start.trim_ascii_end()));
    }
    rest.contains(&b'(').then_some(Rest::Call(rest))
}
