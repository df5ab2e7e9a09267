//! Linux: namespaces, the ghost, Landlock, seccomp.
