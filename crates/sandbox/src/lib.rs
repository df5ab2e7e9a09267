//! The whybox library.

#[cfg(target_os = "linux")]
pub(crate) mod linux;
