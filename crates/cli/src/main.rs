//! The whybox command.
fn main() {}
