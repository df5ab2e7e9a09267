//! What an operation was aimed at.

use serde::{Deserialize, Serialize};

use crate::{named::named, text};

named! {
    /// What a target is.
    pub enum TargetType: "target type" {
        /// A path of the host.
        Path = "path",
        /// A network address, with its port where it has one.
        Address = "address",
        /// Another process.
        Process = "process",
        /// A system call, with its decoded arguments.
        Call = "call",
        /// A counter of the run.
        Counter = "counter",
    }
}

/// What an operation was aimed at: raw bytes, which a confined program may have
/// chosen.
///
/// In JSON it is `{"type", "text", "bytes", "cut"}`. `text` is the bytes escaped
/// by [`text::escape`]. `bytes`, in hexadecimal, is there where `text` is not
/// simply the bytes themselves: they are not UTF-8, or something is escaped. So
/// the name is `bytes` where it is there, else `text` as it stands. `cut` is there,
/// and true, where more than [`Target::MAX`] bytes were given.
///
/// ```
/// use whybox_record::Target;
/// assert_eq!(Target::path(b"/etc/shadow").to_string(), "/etc/shadow");
/// assert_eq!(Target::path(b"/a b\n\xff").to_string(), r#""/a b\n\xff""#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct Target {
    target_type: TargetType,
    cut: bool,
    bytes: Vec<u8>,
}

impl Target {
    /// Bytes of a target that are kept.
    pub const MAX: usize = 4096;

    /// A target of any type. What exceeds [`Target::MAX`] bytes is cut off, and the
    /// target says so.
    #[must_use]
    pub fn new(target_type: TargetType, bytes: &[u8]) -> Self {
        let kept = text::cut(bytes, Self::MAX);
        Self {
            target_type,
            cut: kept.len() < bytes.len(),
            bytes: kept.to_vec(),
        }
    }

    /// A path of the host, absolute.
    #[must_use]
    pub fn path(path: &[u8]) -> Self {
        Self::new(TargetType::Path, path)
    }

    /// A network address such as `93.184.216.34:443`.
    #[must_use]
    pub fn address(address: &str) -> Self {
        Self::new(TargetType::Address, address.as_bytes())
    }

    /// Another process such as `sleep[77]`.
    #[must_use]
    pub fn process(process: &[u8]) -> Self {
        Self::new(TargetType::Process, process)
    }

    /// A system call with its decoded arguments.
    #[must_use]
    pub fn call(call: &[u8]) -> Self {
        Self::new(TargetType::Call, call)
    }

    /// A counter of the run.
    #[must_use]
    pub fn counter(counter: &str) -> Self {
        Self::new(TargetType::Counter, counter.as_bytes())
    }

    /// What the target is.
    #[must_use]
    pub const fn target_type(&self) -> TargetType {
        self.target_type
    }

    /// The raw bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether there were more bytes than are kept.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.cut
    }
}

/// The target as it stands in an entry's line: bare where it is made of plain
/// characters, else in quotes and escaped; `...` follows where it was cut.
impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.cut {
            write!(f, "{}...", text::always_quote(&self.bytes))
        } else {
            f.write_str(&text::quote(&self.bytes))
        }
    }
}

#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Target")]
struct Wire {
    r#type: TargetType,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

impl From<Target> for Wire {
    fn from(target: Target) -> Self {
        let text = text::escape(&target.bytes);
        Self {
            r#type: target.target_type,
            bytes: (text.as_bytes() != target.bytes).then(|| text::to_hex(&target.bytes)),
            text,
            cut: target.cut,
        }
    }
}

impl TryFrom<Wire> for Target {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        let bytes = text::unescape(&wire.text).map_err(|error| error.to_string())?;
        if let Some(hex) = &wire.bytes
            && text::from_hex(hex).as_deref() != Some(bytes.as_slice())
        {
            return Err("the bytes of a target are not those of its text".to_owned());
        }
        if bytes.len() > Self::MAX {
            return Err(format!("a target has more than {} bytes", Self::MAX));
        }
        Ok(Self {
            target_type: wire.r#type,
            cut: wire.cut,
            bytes,
        })
    }
}

impl schemars::JsonSchema for Target {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Wire::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Wire::json_schema(generator)
    }
}
