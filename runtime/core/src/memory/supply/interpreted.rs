//! The functions of [`pages`](super::pages) on the allocator's memory: for Miri, which has no
//! limits of addresses and no huge pages.

#![allow(unsafe_code, reason = "allocates memory")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr;

use super::{HUGE, Pages};

pub(super) fn addresses_left() -> Option<usize> {
    None
}

pub(super) fn map(size: usize) -> Option<usize> {
    map_aligned(size)
}

pub(super) fn map_aligned(size: usize) -> Option<usize> {
    let layout = layout(size)?;
    // SAFETY: no layout of `layout` is empty.
    let start = unsafe { alloc_zeroed(layout) };
    (!start.is_null()).then(|| start.expose_provenance())
}

pub(super) fn advise(_start: usize, _size: usize, _pages: Pages) {}

/// # Safety
/// As for the system's pages.
pub(super) unsafe fn unmap(start: usize, size: usize) {
    if let Some(layout) = layout(size) {
        // SAFETY: allocated above with this layout, and given back once.
        unsafe { dealloc(ptr::with_exposed_provenance_mut(start), layout) };
    }
}

/// # Safety
/// As for the system's pages.
pub(super) unsafe fn drop_pages(start: usize, size: usize) -> bool {
    // SAFETY: the pages belong to the caller.
    unsafe { ptr::with_exposed_provenance_mut::<u8>(start).write_bytes(0, size) };
    true
}

pub(super) fn page() -> usize {
    4096
}

/// Maximum size of one mapping in bytes: Miri itself aborts if it runs out of memory.
const MOST: usize = 1 << 30;

/// Returns a layout of whole pages, at least one; `None` if there are too many. All have the same
/// alignment, so that a size has one layout.
fn layout(size: usize) -> Option<Layout> {
    let size = size.max(1).checked_next_multiple_of(page())?;
    let layout = Layout::from_size_align(size, HUGE).ok()?;
    (size <= MOST).then_some(layout)
}
