//! A command for the fast path, mirrored on `std::process::Command`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// A command to run in a cage.
///
/// It is used as [`std::process::Command`] is, and starts faster: nothing of the harness is forked.
///
/// ```
/// let mut command = whybox::Command::new("cargo");
/// command.arg("test").current_dir("/").env("CI", "true");
/// ```
#[derive(Debug)]
pub struct Command {
    pub(crate) program: OsString,
    pub(crate) arg0: Option<OsString>,
    pub(crate) args: Vec<OsString>,
    pub(crate) clear: bool,
    pub(crate) env: BTreeMap<OsString, Option<OsString>>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) stdio: [Stdio; 3],
}

/// Where a standard stream of a command leads.
#[derive(Debug, Default)]
pub struct Stdio(pub(crate) Stream);

#[derive(Debug, Default)]
pub(crate) enum Stream {
    #[default]
    Inherit,
    Null,
    Piped,
    Fd(OwnedFd),
}

impl Stdio {
    /// The harness's own stream; the default.
    #[must_use]
    pub fn inherit() -> Stdio {
        Stdio(Stream::Inherit)
    }

    /// Nothing: reads end at once, writes vanish.
    #[must_use]
    pub fn null() -> Stdio {
        Stdio(Stream::Null)
    }

    /// A pipe, whose other end the [`crate::Child`] holds.
    #[must_use]
    pub fn piped() -> Stdio {
        Stdio(Stream::Piped)
    }
}

impl<T: Into<OwnedFd>> From<T> for Stdio {
    fn from(fd: T) -> Stdio {
        Stdio(Stream::Fd(fd.into()))
    }
}

impl Command {
    /// A command that runs `program`, searched in `PATH` unless it has a slash.
    pub fn new(program: impl AsRef<OsStr>) -> Command {
        Command {
            program: program.as_ref().to_os_string(),
            arg0: None,
            args: Vec::new(),
            clear: false,
            env: BTreeMap::new(),
            directory: None,
            stdio: Default::default(),
        }
    }

    /// The name under which the program sees itself.
    pub fn arg0(&mut self, name: impl AsRef<OsStr>) -> &mut Command {
        self.arg0 = Some(name.as_ref().to_os_string());
        self
    }

    /// Adds an argument.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Command {
        self.args.push(argument.as_ref().to_os_string());
        self
    }

    /// Adds arguments.
    pub fn args(&mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Command {
        self.args.extend(
            arguments
                .into_iter()
                .map(|argument| argument.as_ref().to_os_string()),
        );
        self
    }

    /// Sets a variable. It is passed whatever the policy says of the harness's own.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Command {
        self.env.insert(
            name.as_ref().to_os_string(),
            Some(value.as_ref().to_os_string()),
        );
        self
    }

    /// Removes a variable.
    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Command {
        self.env.insert(name.as_ref().to_os_string(), None);
        self
    }

    /// Passes nothing of the harness's environment.
    pub fn env_clear(&mut self) -> &mut Command {
        self.clear = true;
        self.env.clear();
        self
    }

    /// The working directory; the harness's own when not set.
    pub fn current_dir(&mut self, directory: impl AsRef<Path>) -> &mut Command {
        self.directory = Some(directory.as_ref().to_path_buf());
        self
    }

    /// Standard input.
    pub fn stdin(&mut self, stdio: impl Into<Stdio>) -> &mut Command {
        self.stdio[0] = stdio.into();
        self
    }

    /// Standard output.
    pub fn stdout(&mut self, stdio: impl Into<Stdio>) -> &mut Command {
        self.stdio[1] = stdio.into();
        self
    }

    /// Standard error.
    pub fn stderr(&mut self, stdio: impl Into<Stdio>) -> &mut Command {
        self.stdio[2] = stdio.into();
        self
    }
}
