//! Where a pool's blocks come from.

#![allow(unsafe_code, reason = "calls the allocator with layouts of its own")]

use std::alloc::{Layout, alloc, dealloc};

/// Alignment of small blocks: a cache line, and what wide vector loads want.
pub(super) const ALIGN: usize = 64;
/// From this size on blocks are aligned to, and advised to use, huge pages.
pub(super) const HUGE: usize = 2 << 20;

/// Memory of one kind, in blocks. A pool gives back what it got from the same supply, once.
pub(crate) trait Supply: Send + Sync + std::fmt::Debug {
    /// The address of `size` bytes, aligned to 64; `None` where there are none left. `size` is a multiple of 64, not 0.
    fn allocate(&self, size: usize) -> Option<u64>;

    /// Gives back what [`allocate`](Self::allocate) gave for this size. Work on devices may still be using it: the supply
    /// waits for that.
    fn release(&self, start: u64, size: usize);
}

/// The process's own memory.
#[derive(Debug)]
pub(crate) struct System;

fn layout(size: usize) -> Layout {
    let align = if size >= HUGE { HUGE } else { ALIGN };
    // The size is a multiple of `ALIGN`, not 0 and below isize::MAX (checked by the pool).
    Layout::from_size_align(size, align).unwrap_or(Layout::new::<[u64; 8]>())
}

impl Supply for System {
    fn allocate(&self, size: usize) -> Option<u64> {
        // SAFETY: the layout's size is not 0.
        let start = unsafe { alloc(layout(size)) };
        if start.is_null() {
            return None;
        }
        if size >= HUGE {
            // SAFETY: the range was just allocated; the advice changes no content, and failing it changes nothing.
            unsafe { libc::madvise(start.cast(), size, libc::MADV_HUGEPAGE) };
        }
        Some(start.expose_provenance() as u64)
    }

    fn release(&self, start: u64, size: usize) {
        // SAFETY: allocated above with the same layout, and given back once.
        unsafe {
            dealloc(
                std::ptr::with_exposed_provenance_mut(start as usize),
                layout(size),
            )
        }
    }
}
