//! Link arguments.
fn main() {}
