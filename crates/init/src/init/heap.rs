//! Memory for the plan: handed out from one block, never given back.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering};

/// More than any plan takes; pages that are not touched cost nothing.
const SIZE: usize = 4 << 20;

#[repr(align(16))]
struct Heap {
    block: UnsafeCell<[u8; SIZE]>,
    used: AtomicUsize,
}

// SAFETY: the program is single-threaded, and `used` hands out each byte once.
unsafe impl Sync for Heap {}

// SAFETY: what is returned is aligned, inside `block`, and overlaps nothing handed out before.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = self
            .used
            .load(Ordering::Relaxed)
            .next_multiple_of(layout.align().min(16));
        let end = start.saturating_add(layout.size());
        if end > SIZE || layout.align() > 16 {
            return null_mut();
        }
        self.used.store(end, Ordering::Relaxed);
        // SAFETY: `start` lies inside the block, as `end` does.
        unsafe { self.block.get().cast::<u8>().add(start) }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static HEAP: Heap = Heap {
    block: UnsafeCell::new([0; SIZE]),
    used: AtomicUsize::new(0),
};
