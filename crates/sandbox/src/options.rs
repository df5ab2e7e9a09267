//! How a cage is made, apart from its policy.

use crate::Error;

/// The gaps that can be accepted, by name, and what each leaves open.
pub const GAPS: &[(&str, &str)] = &[
    (
        "landlock",
        "the kernel has no Landlock: the mounts, namespaces and the filter confine alone",
    ),
    (
        "glob-matches",
        "a glob matches more names than are mounted: the first of them are covered, the rest are not",
    ),
];

/// Options of a cage. The default reports nothing and accepts no gap.
///
/// ```
/// let options = whybox::CageOptions::default().with_violations();
/// ```
#[derive(Clone, Debug)]
pub struct CageOptions {
    pub(crate) violations: bool,
    pub(crate) quiet: bool,
    pub(crate) foreground: bool,
    pub(crate) gaps: Vec<String>,
}

impl Default for CageOptions {
    fn default() -> CageOptions {
        CageOptions {
            violations: false,
            quiet: true,
            foreground: false,
            gaps: Vec::new(),
        }
    }
}

impl CageOptions {
    /// Records what is refused (V1). What is refused stays the same.
    #[must_use]
    pub fn with_violations(mut self) -> CageOptions {
        self.violations = true;
        self
    }

    /// Also records the probes that every program makes (V6). They are refused either way.
    #[must_use]
    pub fn without_quiet_list(mut self) -> CageOptions {
        self.quiet = false;
        self
    }

    /// Gives the command its own process group, in the foreground of the harness's terminal. The harness then
    /// takes the terminal back after the command stopped or ended; see [`crate::Child::wait_state`].
    #[must_use]
    pub fn foreground(mut self) -> CageOptions {
        self.foreground = true;
        self
    }

    /// Accepts a gap by its name, one of [`GAPS`]; the coverage of each run then names it.
    ///
    /// # Errors
    /// There is no such gap.
    ///
    /// ```
    /// assert!(whybox::CageOptions::default().accept_gap("landlock").is_ok());
    /// assert!(whybox::CageOptions::default().accept_gap("everything").is_err());
    /// ```
    pub fn accept_gap(mut self, name: &str) -> Result<CageOptions, Error> {
        let Some((name, _)) = GAPS.iter().find(|(known, _)| *known == name) else {
            return Err(Error::UnknownGap {
                name: name.to_owned(),
            });
        };
        self.gaps.push((*name).to_owned());
        Ok(self)
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn accepts(&self, gap: &str) -> bool {
        self.gaps.iter().any(|name| name == gap)
    }
}
