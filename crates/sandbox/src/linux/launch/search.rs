//! What is executed: candidates for the program, arguments, environment.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::Error;

/// Where execvp(3) looks when there is no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/bin:/usr/bin";

/// The strings of a command, each closed by a NUL byte, in the order in which the init reads them.
#[derive(Debug, Default)]
pub(crate) struct Program {
    strings: Vec<u8>,
    counts: whybox_init::Program,
    /// The program as it was named.
    pub(crate) name: OsString,
}

impl Program {
    /// Collects them. A name without a slash is searched in the `PATH` of the command's own environment.
    pub(crate) fn new(
        name: &OsStr,
        arguments: impl Iterator<Item = impl AsRef<OsStr>>,
        variables: &[(OsString, OsString)],
    ) -> Result<Program, Error> {
        let mut program = Program {
            name: name.to_os_string(),
            ..Program::default()
        };
        if name.as_bytes().contains(&b'/') || name.is_empty() {
            program.push(&[name.as_bytes()])?;
            program.counts.candidates = 1;
        } else {
            let path = variables
                .iter()
                .find(|(name, _)| name == "PATH")
                .map(|(_, value)| value.as_os_str());
            for directory in path
                .unwrap_or(OsStr::new(DEFAULT_PATH))
                .as_bytes()
                .split(|byte| *byte == b':')
            {
                // An empty entry is the working directory.
                let separator: &[u8] = if directory.is_empty() { b"./" } else { b"/" };
                program.push(&[directory, separator, name.as_bytes()])?;
                program.counts.candidates += 1;
            }
        }
        for argument in arguments {
            program.push(&[argument.as_ref().as_bytes()])?;
            program.counts.arguments += 1;
        }
        for (name, value) in variables {
            program.push(&[name.as_bytes(), b"=", value.as_bytes()])?;
            program.counts.variables += 1;
        }
        Ok(program)
    }

    fn push(&mut self, parts: &[&[u8]]) -> Result<(), Error> {
        for part in parts {
            if part.contains(&0) {
                return Err(Error::Io {
                    step: "use a string with a NUL byte in it",
                    source: std::io::ErrorKind::InvalidInput.into(),
                });
            }
            self.strings.extend_from_slice(part);
        }
        self.strings.push(0);
        Ok(())
    }

    pub(super) fn counts(&self) -> whybox_init::Program {
        self.counts.clone()
    }

    pub(super) fn strings(&self) -> &[u8] {
        &self.strings
    }
}
