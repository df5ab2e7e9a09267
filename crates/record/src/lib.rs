#![forbid(unsafe_code)]
//! Records of whybox.
