//! Paths are resolved as the kernel does it: the same answers as `realpath` on a real tree.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use whybox_oracle::replay::host_link;
use whybox_oracle::walk::{Names, walk};

struct Host;

impl Names for Host {
    fn link(&self, path: &Path) -> Option<PathBuf> {
        host_link(path)
    }

    fn process_link(&self, _: &Path) -> Option<PathBuf> {
        None
    }
}

struct Tree(PathBuf);

impl Tree {
    fn new(name: &str) -> Self {
        let root = fs::canonicalize(std::env::temp_dir()).unwrap();
        let root = root.join(format!("whybox-oracle-{name}-{}", std::process::id()));
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/file"), "").unwrap();
        symlink("b", root.join("a/to-b")).unwrap();
        symlink("../a/to-b/..", root.join("a/back")).unwrap();
        symlink(root.join("a"), root.join("absolute")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        Self(root)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn the_last_link_is_followed_where_it_is_to_be() {
    let tree = Tree::new("last");
    let end = |path: &str, follow| walk(&Host, &tree.0, path.as_bytes(), follow).end;
    assert_eq!(end("a/to-b", false), tree.0.join("a/to-b"));
    assert_eq!(end("a/to-b", true), tree.0.join("a/b"));
    assert_eq!(end("a/to-b/", false), tree.0.join("a/b"));
    assert_eq!(end("loop/x", true), tree.0.join("loop/x"));
}

#[test]
fn every_name_on_the_way_is_remembered() {
    let tree = Tree::new("way");
    let walked = walk(&Host, &tree.0, b"absolute/to-b/x", true);
    let passed = walked
        .passed
        .strip_prefix(&[tree.0.join("absolute")][..])
        .unwrap();
    // The absolute link starts again at the root.
    let below: Vec<&PathBuf> = passed
        .iter()
        .filter(|path| path.starts_with(tree.0.join("a")))
        .collect();
    assert_eq!(
        below,
        [
            &tree.0.join("a"),
            &tree.0.join("a/to-b"),
            &tree.0.join("a/b"),
            &tree.0.join("a/b/x")
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_exists_is_found_where_the_kernel_finds_it(
        parts in proptest::collection::vec(prop_oneof![
            Just("a"), Just("b"), Just("to-b"), Just("back"), Just("absolute"), Just("."), Just(".."), Just(""), Just("file"),
        ], 1..8)
    ) {
        let tree = Tree::new("same");
        let path = parts.join("/");
        prop_assume!(!path.starts_with('/'));
        if let Ok(real) = fs::canonicalize(tree.0.join(&path)) {
            prop_assert_eq!(walk(&Host, &tree.0, path.as_bytes(), true).end, real);
        }
    }
}
