//! What whybox itself writes: to standard output, to files, to descriptors of its caller.

mod place;
mod sink;

pub(crate) use sink::Output;

use std::io::Write as _;

use crate::failure::Failure;

/// Prints text on standard output.
pub(crate) fn print(text: &str) -> Result<u8, Failure> {
    print_bytes(text.as_bytes())
}

/// Prints a JSON document.
pub(crate) fn print_json(value: &serde_json::Value) -> Result<u8, Failure> {
    print(&format!("{value:#}\n"))
}

/// Prints bytes, and gives the exit status. A reader that has seen enough is no failure.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<u8, Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure {
            status: 1,
            text: format!("cannot write to standard output: {error}"),
        }),
        _ => Ok(0),
    }
}
