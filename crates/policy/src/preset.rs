//! The policies that come with whybox.

use crate::decode::{Origin, decode};
use crate::document::Syntax;
use crate::nearest::did_you_mean;
use crate::{Context, ErrorKind, Policy, PolicyError};

/// A preset's name, the version of its data, and the data: a policy file.
///
/// A version grows with every change of the file, or of one that it builds on.
const TABLE: &[(&str, u32, &str)] = &[
    ("none", 1, include_str!("../presets/none.toml")),
    ("minimal", 1, include_str!("../presets/minimal.toml")),
    ("readonly", 1, include_str!("../presets/readonly.toml")),
    ("agent", 1, include_str!("../presets/agent.toml")),
    ("build", 1, include_str!("../presets/build.toml")),
];

impl Policy {
    /// The names of the presets, from the narrowest to the widest.
    pub const PRESETS: &'static [&'static str] = &["none", "minimal", "readonly", "agent", "build"];

    /// A preset by name. Rules that need a home directory or a repository are left out where there is none, and
    /// those for the working directory where that [is too wide](Context::is_cwd_too_wide).
    ///
    /// # Errors
    /// There is no such preset.
    ///
    /// ```
    /// use whybox_policy::{Access, Context, Policy};
    /// let ctx = Context::new("/home/u/app").with_home("/home/u");
    /// let policy = Policy::preset("agent", &ctx)?;
    /// assert!(policy.decide(Access::Write, "/home/u/app/main.c").allowed);
    /// assert!(!policy.decide(Access::Read, "/home/u/.ssh/id_rsa").allowed);
    /// # Ok::<(), whybox_policy::PolicyError>(())
    /// ```
    pub fn preset(name: &str, ctx: &Context) -> Result<Self, PolicyError> {
        let Some((name, version, text)) = TABLE.iter().find(|(known, ..)| *known == name) else {
            let text = format!(
                "unknown preset {name:?}; {}",
                did_you_mean(name, Policy::PRESETS)
            );
            return Err(PolicyError::new(ErrorKind::Preset, text));
        };
        decode(
            text,
            Syntax::Toml,
            &Origin::Preset {
                name,
                version: *version,
            },
            &ctx.of_preset(),
        )
    }

    /// The text of a preset: a policy file with comments that say why each line is there.
    #[must_use]
    pub fn preset_text(name: &str) -> Option<&'static str> {
        TABLE
            .iter()
            .find(|(known, ..)| *known == name)
            .map(|(_, _, text)| *text)
    }
}
