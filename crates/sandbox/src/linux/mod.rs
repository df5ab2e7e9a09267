//! Linux: namespaces, the ghost, Landlock, seccomp.

pub(crate) mod ghost;
pub(crate) mod process;
