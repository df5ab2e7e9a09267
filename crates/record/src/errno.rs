//! Error numbers by name.

mod table;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// What a refused call was answered.
///
/// It is held by its name, so a record that one system wrote reads the same on
/// another, whose numbers differ. In JSON it is the name, `"EACCES"`, or
/// `"errno-1234"` for a number that has none.
///
/// ```
/// use whybox_record::Errno;
/// assert_eq!(Errno::EACCES.to_string(), "EACCES");
/// assert_eq!(Errno::from_raw(13), Errno::EACCES);
/// assert_eq!(Errno::EACCES.raw(), 13);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Errno(Number);

/// The number on Linux where there is a name, else this system's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Number {
    Linux(u16),
    Unnamed(i32),
}

impl Errno {
    /// Permission denied; what files, programs and addresses are refused with.
    pub const EACCES: Self = Self(Number::Linux(13));
    /// Operation not permitted; signals and system calls.
    pub const EPERM: Self = Self(Number::Linux(1));
    /// No such file or directory.
    pub const ENOENT: Self = Self(Number::Linux(2));
    /// No such system call.
    pub const ENOSYS: Self = Self(Number::Linux(38));
    /// Read-only file system.
    pub const EROFS: Self = Self(Number::Linux(30));
    /// Busy, as a mount point is.
    pub const EBUSY: Self = Self(Number::Linux(16));
    /// Across two mounts.
    pub const EXDEV: Self = Self(Number::Linux(18));
    /// Try again, as a limit on processes says.
    pub const EAGAIN: Self = Self(Number::Linux(11));
    /// Network is unreachable.
    pub const ENETUNREACH: Self = Self(Number::Linux(101));
    /// Connection refused.
    pub const ECONNREFUSED: Self = Self(Number::Linux(111));

    /// From this system's number, with or without the sign that system calls give it.
    #[must_use]
    pub fn from_raw(raw: i32) -> Self {
        let raw = raw.checked_abs().unwrap_or(0);
        let known = table::ERRNOS
            .iter()
            .find(|row| raw != 0 && native(row) == raw);
        Self(known.map_or(Number::Unnamed(raw), |row| Number::Linux(row.linux)))
    }

    /// This system's number; 0 where this system does not have the error.
    #[must_use]
    pub fn raw(self) -> i32 {
        match self.0 {
            Number::Linux(linux) => row(linux).map_or(0, native),
            Number::Unnamed(raw) => raw,
        }
    }

    /// The name, such as `EACCES`, where it has one.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self.0 {
            Number::Linux(linux) => row(linux).map(|row| row.name),
            Number::Unnamed(_) => None,
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        if let Some(row) = table::ERRNOS.iter().find(|row| row.name == name) {
            return Some(Self(Number::Linux(row.linux)));
        }
        let number = name.strip_prefix("errno-")?;
        let plain = number.bytes().all(|b| b.is_ascii_digit());
        let raw: i32 = number.parse().ok().filter(|_| plain)?;
        Some(Self(Number::Unnamed(raw)))
    }
}

fn row(linux: u16) -> Option<&'static table::Row> {
    table::ERRNOS.iter().find(|row| row.linux == linux)
}

fn native(row: &table::Row) -> i32 {
    i32::from(if cfg!(target_vendor = "apple") {
        row.macos
    } else {
        row.linux
    })
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name(), self.0) {
            (Some(name), _) => f.pad(name),
            (None, Number::Unnamed(raw)) => write!(f, "errno-{raw}"),
            (None, Number::Linux(linux)) => write!(f, "errno-{linux}"),
        }
    }
}

impl Serialize for Errno {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Errno {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        Self::from_name(&name).ok_or_else(|| {
            let start: String = name.chars().take(64).collect();
            de::Error::custom(format!("{start:?} is no name of an error"))
        })
    }
}

impl schemars::JsonSchema for Errno {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Errno".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The name of an error such as EACCES, or errno-N where it has none.",
            "type": "string",
            "pattern": "^(E[A-Z0-9]+|errno-[0-9]+)$"
        })
    }
}
