//! What strace wrote, as calls. Pure: bytes in, calls out.
//!
//! The options of strace that this reads the output of are [`OPTIONS`].

mod line;
mod value;

use std::collections::HashMap;

pub use line::{Line, Rest, line};
pub use value::{Outcome, Value, arguments, outcome};

/// How strace has to be started, besides what it traces and where it writes.
///
/// Every string in hexadecimal, because names are hostile; descriptors with their
/// paths; process ids as the tracer numbers them beside those of the cage.
pub const OPTIONS: &[&str] = &[
    "-f",
    "-y",
    "-xx",
    "-s",
    "4200",
    "--pidns-translation",
    "--decode-pids=comm,pidns",
    "--quiet=attach,personality",
    "-e",
    "signal=none",
];

/// One system call, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The calling thread, as the tracer numbers it.
    pub thread: u32,
    /// What the thread called itself when it called.
    pub comm: Vec<u8>,
    /// The name of the call.
    pub name: String,
    /// Its arguments as far as they were decoded.
    pub arguments: Vec<Value>,
    /// What it gave.
    pub outcome: Outcome,
}

/// Something that a trace tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A system call ended.
    Call(Call),
    /// The thread `old` executed a program, which ended all other threads of its process,
    /// and goes on as `new`, the first of them.
    Superseded {
        /// The thread that called.
        old: u32,
        /// Its number from now on.
        new: u32,
    },
    /// A thread ended.
    Exited(u32),
}

impl Event {
    /// The thread that it is about, as the tracer numbers it.
    #[must_use]
    pub fn thread(&self) -> u32 {
        match self {
            Self::Call(call) => call.thread,
            Self::Superseded { new, .. } => *new,
            Self::Exited(thread) => *thread,
        }
    }
}

/// A line that is not understood. A tracer that is misread is no witness, so it is an
/// error and not skipped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {number} of the trace is not understood: {text}")]
pub struct Unreadable {
    /// The number of the line, from 1.
    pub number: usize,
    /// The start of the line.
    pub text: String,
}

/// The events of a trace, in the order in which they ended.
///
/// A call that another thread interrupted stands on two lines; they are put together.
/// A call that never ended, because its thread was killed, has an unknown outcome.
///
/// ```
/// use whybox_oracle::trace::{Event, Outcome, events};
/// let text = br#"7<\x61> openat(AT_FDCWD<\x2f>, "\x78", O_RDONLY <unfinished ...>
/// 8<\x62> chdir("\x2f") = 0
/// 7<\x61> <... openat resumed>) = -1 EACCES (Permission denied)
/// "#;
/// let events = events(text).unwrap();
/// let Event::Call(second) = &events[1] else { panic!() };
/// assert_eq!((second.thread, second.name.as_str()), (7, "openat"));
/// assert_eq!(second.outcome, Outcome::Failed("EACCES".to_owned()));
/// ```
///
/// # Errors
/// The first line that is not understood.
pub fn events(text: &[u8]) -> Result<Vec<Event>, Unreadable> {
    let mut events = Vec::new();
    let mut waiting: HashMap<u32, (Vec<u8>, Vec<u8>)> = HashMap::new();
    for (index, bytes) in text.split(|byte| *byte == b'\n').enumerate() {
        if bytes.is_empty() {
            continue;
        }
        let unreadable = || Unreadable {
            number: index + 1,
            text: String::from_utf8_lossy(bytes.get(..400).unwrap_or(bytes)).into_owned(),
        };
        let Line { thread, comm, rest } = line(bytes).ok_or_else(unreadable)?;
        match rest {
            Rest::Unfinished(start) => {
                waiting.insert(thread, (comm, start.to_vec()));
            }
            Rest::Resumed(end) => {
                // What began before the tracer came has no start.
                let Some((comm, mut whole)) = waiting.remove(&thread) else {
                    continue;
                };
                whole.extend_from_slice(end);
                events.push(call(thread, comm, &whole).ok_or_else(unreadable)?);
            }
            Rest::Call(whole) => events.push(call(thread, comm, whole).ok_or_else(unreadable)?),
            Rest::Superseded(old) => {
                if let Some(start) = waiting.remove(&old) {
                    waiting.insert(thread, start);
                }
                events.push(Event::Superseded { old, new: thread });
            }
            Rest::Exited => {
                if let Some((comm, mut whole)) = waiting.remove(&thread) {
                    // Its arguments are known if all of them went in.
                    whole.extend_from_slice(b") = ?");
                    events.extend(call(thread, comm, &whole));
                }
                events.push(Event::Exited(thread));
            }
            Rest::Signal => {}
        }
    }
    Ok(events)
}

fn call(thread: u32, comm: Vec<u8>, whole: &[u8]) -> Option<Event> {
    let open = whole.iter().position(|byte| *byte == b'(')?;
    let name = std::str::from_utf8(whole.get(..open)?).ok()?.to_owned();
    let (arguments, rest) = arguments(whole.get(open + 1..)?)?;
    Some(Event::Call(Call {
        thread,
        comm,
        name,
        arguments,
        outcome: outcome(rest)?,
    }))
}
