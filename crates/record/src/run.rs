//! What a report says about the run itself.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::{text, time};

/// The run that a report is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Run {
    /// The version of whybox.
    pub version: String,
    /// The command and its arguments, each escaped as
    /// [`text::escape`](crate::text::escape) does; at most [`Run::COMMAND_MAX`] bytes.
    pub command: Vec<String>,
    /// Whether the command had more words or longer ones.
    pub command_cut: bool,
    /// When it was started (RFC 3339, UTC).
    #[serde(with = "time")]
    #[schemars(with = "String")]
    pub started: SystemTime,
    /// When it ended (RFC 3339, UTC); null while it runs.
    #[serde(with = "time::option")]
    #[schemars(with = "Option<String>")]
    pub ended: Option<SystemTime>,
    /// How it ended; null while it runs.
    pub exit: Option<Exit>,
    /// How it is confined, such as `ghost`.
    pub tier: String,
    /// The effective policy, in the policy's own JSON format.
    pub policy: serde_json::Value,
    /// The policy's digest: equal policies have equal digests.
    pub policy_digest: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Exit {
    /// The command ended by itself.
    Code {
        /// Its exit status.
        code: i32,
    },
    /// The command was ended by a signal.
    Signal {
        /// The number of the signal.
        signal: i32,
    },
    /// The command was ended because its time was up.
    Timeout {},
    /// The command never ran.
    NotStarted {
        /// Why, with the step, the path and the errno.
        error: String,
    },
}

impl Run {
    /// Bytes of the command that are kept, over all its words.
    pub const COMMAND_MAX: usize = 16 * 1024;

    /// A run that has started now, in a tier, under a policy.
    #[must_use]
    pub fn new(
        started: SystemTime,
        tier: impl Into<String>,
        policy: serde_json::Value,
        policy_digest: impl Into<String>,
    ) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: Vec::new(),
            command_cut: false,
            started,
            ended: None,
            exit: None,
            tier: tier.into(),
            policy,
            policy_digest: policy_digest.into(),
        }
    }

    /// The same with its command.
    ///
    /// ```
    /// # use whybox_record::Run;
    /// # let start = std::time::UNIX_EPOCH;
    /// let run = Run::new(start, "ghost", serde_json::json!({}), "00")
    ///     .with_command(["cat", "a\nb"]);
    /// assert_eq!(run.command, ["cat", r"a\nb"]);
    /// ```
    #[must_use]
    pub fn with_command<W: AsRef<[u8]>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        let mut room = Self::COMMAND_MAX;
        self.command.clear();
        self.command_cut = false;
        for word in words {
            let word = word.as_ref();
            let kept = text::cut(word, room);
            // An empty word takes room too, or their number would have no bound.
            room = room.saturating_sub(kept.len() + 1);
            self.command.push(text::escape(kept));
            if kept.len() < word.len() || room == 0 {
                self.command_cut = true;
                break;
            }
        }
        self
    }

    /// The same, ended.
    #[must_use]
    pub fn with_end(mut self, ended: SystemTime, exit: Exit) -> Self {
        self.ended = Some(ended);
        self.exit = Some(exit);
        self
    }
}
