//! The process that met a refusal.

use serde::{Deserialize, Serialize};

use crate::text::{self, escaped, escaped_option};

/// A process as it was at the moment of an event. Pids are those that the
/// harness sees.
///
/// ```
/// use whybox_record::Process;
/// let process = Process::new(4127, 4100, b"head").with_exe(b"/usr/bin/head");
/// assert_eq!(process.to_string(), "head[4127]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Process {
    pid: u32,
    ppid: u32,
    /// The name, escaped.
    #[serde(with = "escaped")]
    #[schemars(with = "String")]
    name: Vec<u8>,
    /// The path of the program that it runs, escaped; null where it is not known.
    #[serde(with = "escaped_option")]
    #[schemars(with = "Option<String>")]
    exe: Option<Vec<u8>>,
}

impl Process {
    /// Bytes of a name that are kept.
    pub const NAME_MAX: usize = 64;
    /// Bytes of a program's path that are kept.
    pub const EXE_MAX: usize = 4096;

    /// A process of which no program is known. The name is cut to
    /// [`Process::NAME_MAX`] bytes.
    #[must_use]
    pub fn new(pid: u32, ppid: u32, name: &[u8]) -> Self {
        Self {
            pid,
            ppid,
            name: text::cut(name, Self::NAME_MAX).to_vec(),
            exe: None,
        }
    }

    /// The same with the path of the program that it runs, cut to
    /// [`Process::EXE_MAX`] bytes.
    #[must_use]
    pub fn with_exe(mut self, exe: &[u8]) -> Self {
        self.exe = Some(text::cut(exe, Self::EXE_MAX).to_vec());
        self
    }

    /// The process id as the harness sees it.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// The id of the parent as the harness sees it; 0 where it sees none.
    #[must_use]
    pub const fn ppid(&self) -> u32 {
        self.ppid
    }

    /// The name, as raw bytes that the process itself may have chosen.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The path of the program that it ran, as raw bytes.
    #[must_use]
    pub fn exe(&self) -> Option<&[u8]> {
        self.exe.as_deref()
    }
}

/// `name[pid]`, the name quoted where it has odd characters.
impl std::fmt::Display for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", text::quote(&self.name), self.pid)
    }
}
