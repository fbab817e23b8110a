//! Where a pool's blocks come from.

#![allow(unsafe_code, reason = "calls the allocator with layouts of its own")]

use std::alloc::{Layout, alloc, dealloc};

use crate::error::DriverError;

/// Alignment of small blocks: a cache line, and what wide vector loads want.
pub(super) const ALIGN: usize = 64;
/// From this size on blocks are aligned to, and advised to use, huge pages.
pub(super) const HUGE: usize = 2 << 20;

/// Why there is no block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is no memory left.
    Full,
    /// The device that has the memory does not answer.
    Failed(DriverError),
}

/// Memory of one kind, in blocks. A pool gives back what it got from the same supply, once.
pub(crate) trait Supply: Send + Sync + std::fmt::Debug {
    /// The address of `size` bytes, aligned to 64. `size` is a multiple of 64, not 0.
    fn allocate(&self, size: usize) -> Result<u64, Refusal>;

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
    fn allocate(&self, size: usize) -> Result<u64, Refusal> {
        // SAFETY: the layout's size is not 0.
        let start = unsafe { alloc(layout(size)) };
        if start.is_null() {
            return Err(Refusal::Full);
        }
        if size >= HUGE {
            // SAFETY: the range was just allocated; the advice changes no content, and failing it changes nothing.
            unsafe { libc::madvise(start.cast(), size, libc::MADV_HUGEPAGE) };
        }
        Ok(start.expose_provenance() as u64)
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
