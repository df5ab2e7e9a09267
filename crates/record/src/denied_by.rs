//! Why something was refused.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{named::named, text};

named! {
    /// The sort of reason. It decides what would change the outcome (V4).
    pub enum DeniedByKind: "reason" {
        /// No rule grants it.
        NotGranted = "not-granted",
        /// A rule hides it.
        Hidden = "hidden",
        /// It is granted for reading, not for writing.
        ReadOnly = "read-only",
        /// It is granted, but not for execution.
        NotExecutable = "not-executable",
        /// The name is protected: readable, never writable.
        ProtectedName = "protected-name",
        /// The policy grants no network.
        NoNetwork = "no-network",
        /// The policy grants network, not this address or port.
        AddressNotAllowed = "address-not-allowed",
        /// The system call belongs to a class that is always refused.
        HardDeny = "hard-deny",
        /// The kernel offers a system call that whybox does not know.
        UnknownCall = "unknown-call",
        /// It would let a process outlive the run.
        Lifetime = "lifetime",
        /// A limit of the run is reached.
        Limit = "limit",
        /// It needs a privilege that confined processes do not have.
        DroppedPrivilege = "dropped-privilege",
        /// This kernel cannot confine it, so it is refused as a whole.
        OlderKernel = "older-kernel",
        /// The cage has its own `/tmp`.
        OwnTmp = "own-tmp",
        /// The cage has its own `/dev`.
        OwnDev = "own-dev",
        /// The cage has its own `/proc`.
        OwnProc = "own-proc",
        /// A rule makes the name absent.
        Absent = "absent",
        /// It is granted, but appeared, or was replaced, after the start.
        Stale = "stale",
        /// It could not be examined.
        NotExamined = "not-examined",
    }
}

/// Why something was refused: the sort of reason, and the rule that decided
/// where one did.
///
/// All texts come from the policy or from whybox, never from a confined process.
///
/// ```
/// use whybox_record::{DeniedBy, DeniedByKind};
/// let hidden = DeniedBy::new(DeniedByKind::Hidden).with_rule("--hide .env");
/// assert_eq!(hidden.to_string(), "hidden by --hide .env");
/// let none = DeniedBy::new(DeniedByKind::NotGranted);
/// assert_eq!(none.to_string(), "no rule grants it");
/// let file = DeniedBy::new(DeniedByKind::Hidden)
///     .with_rule("hide \".env\"")
///     .with_source("whybox.toml:7:9");
/// assert_eq!(file.to_string(), "hidden by hide \".env\", whybox.toml:7:9");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DeniedBy {
    /// The sort of reason.
    pub kind: DeniedByKind,
    /// The class of protected names or of refused system calls; the name by which
    /// the policy lifts it.
    pub class: Option<String>,
    /// The rule as its author wrote it, such as `--hide .env`.
    pub rule: Option<String>,
    /// Where the rule is written, such as `whybox.toml:7:9` or `preset agent`; none
    /// where the rule says so itself, as a flag does.
    pub source: Option<String>,
}

impl DeniedBy {
    /// A reason without a rule.
    #[must_use]
    pub const fn new(kind: DeniedByKind) -> Self {
        Self {
            kind,
            class: None,
            rule: None,
            source: None,
        }
    }

    /// The same with the class of protected names or refused calls.
    #[must_use]
    pub fn with_class(mut self, class: impl Into<String>) -> Self {
        self.class = Some(class.into());
        self
    }

    /// The same with the rule that decided, as its author wrote it.
    #[must_use]
    pub fn with_rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    /// The same with the place where the rule is written.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    fn class_note(&self, before: &str) -> String {
        self.class
            .as_deref()
            .map_or_else(String::new, |class| format!("{before}{class}"))
    }

    fn sentence(&self) -> String {
        let rule = self.rule.as_deref();
        let by = |with: &str, without: &str| {
            rule.map_or_else(|| without.to_owned(), |rule| format!("{with} {rule}"))
        };
        match self.kind {
            DeniedByKind::NotGranted => "no rule grants it".to_owned(),
            DeniedByKind::Hidden => by("hidden by", "hidden"),
            DeniedByKind::ReadOnly => by("read-only by", "no rule grants writing to it"),
            DeniedByKind::NotExecutable => by("not executable by", "no rule grants executing it"),
            DeniedByKind::ProtectedName => {
                by("protected by", "a protected name") + &self.class_note(" of class ")
            }
            DeniedByKind::NoNetwork => "no rule grants the network".to_owned(),
            DeniedByKind::AddressNotAllowed => {
                by("address refused by", "no rule grants this address")
            }
            DeniedByKind::HardDeny => "always refused".to_owned() + &self.class_note(", class "),
            DeniedByKind::UnknownCall => "a system call that whybox does not know".to_owned(),
            DeniedByKind::Lifetime => by("ends with the run by", "ends with the run"),
            DeniedByKind::Limit => by("limited by", "a limit of the run"),
            DeniedByKind::DroppedPrivilege => {
                "needs a privilege that the sandbox drops".to_owned() + &self.class_note(", ")
            }
            DeniedByKind::OlderKernel => "this kernel cannot confine it".to_owned(),
            DeniedByKind::OwnTmp => "the sandbox has its own /tmp".to_owned(),
            DeniedByKind::OwnDev => "the sandbox has its own /dev".to_owned(),
            DeniedByKind::OwnProc => "the sandbox has its own /proc".to_owned(),
            DeniedByKind::Absent => by("made absent by", "made absent"),
            DeniedByKind::Stale => {
                by("granted by", "granted") + ", but it appeared after the start"
            }
            DeniedByKind::NotExamined => "it could not be examined".to_owned(),
        }
    }
}

/// The reason in words, on one line.
impl fmt::Display for DeniedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = self.sentence();
        if let (Some(_), Some(source)) = (&self.rule, &self.source) {
            words.push_str(", ");
            words.push_str(source);
        }
        f.write_str(&text::visible(&words))
    }
}
