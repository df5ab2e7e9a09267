//! Deciding is on the path of every refused access: without globs it allocates nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

use whybox_policy::{Access, Context, Policy};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: everything is handed to the system's allocator; only a number of this thread changes beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps this function's own contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often this thread allocates while a policy decides.
fn allocations(policy: &Policy) -> usize {
    let decider = policy.decider();
    let before = COUNT.with(Cell::get);
    for path in [
        "/home/u/app/a/b/c",
        "/etc/shadow",
        "/tmp/x",
        "/home/u/.ssh/id_rsa",
        "//a/./b/",
    ] {
        for access in Access::ALL {
            std::hint::black_box(decider.decide(access, Path::new(path)));
        }
        std::hint::black_box(decider.is_ancestor_of_grant(Path::new(path)));
    }
    COUNT.with(Cell::get) - before
}

#[test]
fn deciding_without_globs_allocates_nothing() {
    let ctx = Context::new("/home/u/app").with_home("/home/u");
    for name in Policy::PRESETS {
        assert_eq!(
            allocations(&Policy::preset(name, &ctx).unwrap()),
            0,
            "{name}"
        );
    }
    let globs = Policy::builder(&ctx)
        .read(".")
        .hide("**/.env")
        .build()
        .unwrap();
    assert!(
        allocations(&globs) > 0,
        "the control: allocations are counted"
    );
}
