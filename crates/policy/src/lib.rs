#![forbid(unsafe_code)]
//! Policies of whybox.
