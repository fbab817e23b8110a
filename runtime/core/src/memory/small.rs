//! Memory for small results of calls that run without an operation.
//!
//! Such a block is cut from no segment and has no holder: taking one from a pool and giving it back
//! would cost more than the kernel that writes it. Its bytes count in the pool. A thread keeps the
//! blocks that it frees for its next results.

#![allow(unsafe_code, reason = "allocates and frees the blocks")]

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;
use std::num::NonZero;
use std::ptr::NonNull;

use super::supply::ALIGN;

/// Size of the largest small block, in bytes.
pub(super) const LARGEST: usize = 4096;
/// Bytes of the free blocks that a thread keeps.
const KEPT: usize = 256 << 10;
/// The number of sizes.
const SIZES: usize = LARGEST / ALIGN;

/// The blocks of a thread.
struct Blocks {
    /// Free blocks, by size.
    free: [Vec<NonNull<u8>>; SIZES],
    /// Bytes of the free blocks.
    kept: usize,
}

thread_local! {
    static BLOCKS: RefCell<Blocks> = const {
        RefCell::new(Blocks { free: [const { Vec::new() }; SIZES], kept: 0 })
    };
}

/// A block of at most [`LARGEST`] bytes, in lines of [`ALIGN`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SmallSize(NonZero<u16>);

impl SmallSize {
    /// Returns the size of a block for `bytes` bytes; `None` if they are not few, or none.
    #[inline]
    pub(super) fn new(bytes: usize) -> Option<SmallSize> {
        if bytes > LARGEST {
            return None;
        }
        NonZero::new(bytes.div_ceil(ALIGN) as u16).map(SmallSize)
    }

    /// Returns the size of a number of lines; `None` for 0.
    #[inline]
    pub(super) fn from_lines(lines: u16) -> Option<SmallSize> {
        NonZero::new(lines).map(SmallSize)
    }

    #[inline]
    pub(super) fn lines(self) -> u16 {
        self.0.get()
    }

    pub(super) fn bytes(self) -> usize {
        usize::from(self.0.get()) * ALIGN
    }

    fn list(self) -> usize {
        usize::from(self.0.get()) - 1
    }

    fn layout(self) -> Option<Layout> {
        Layout::from_size_align(self.bytes(), ALIGN).ok()
    }
}

/// Takes a block; `None` if the system has no memory.
#[inline]
pub(super) fn take(size: SmallSize) -> Option<NonNull<u8>> {
    let bytes = size.bytes();
    let take = |blocks: &RefCell<Blocks>| {
        let mut blocks = blocks.try_borrow_mut().ok()?;
        let kept = blocks.free[size.list()].pop()?;
        blocks.kept -= bytes;
        Some(kept)
    };
    let kept = BLOCKS.try_with(take).ok().flatten();
    kept.or_else(|| {
        // SAFETY: the size is not 0.
        NonNull::new(unsafe { alloc(size.layout()?) })
    })
}

/// Frees a block that [`take`] returned for this size.
///
/// # Safety
/// The block is freed once, and is not in use.
#[inline]
pub(super) unsafe fn free(block: NonNull<u8>, size: SmallSize) {
    let keep = |blocks: &RefCell<Blocks>| {
        let Ok(mut blocks) = blocks.try_borrow_mut() else {
            return false;
        };
        let has_room = blocks.kept + size.bytes() <= KEPT;
        if has_room {
            blocks.kept += size.bytes();
            blocks.free[size.list()].push(block);
        }
        has_room
    };
    if !BLOCKS.try_with(keep).unwrap_or(false)
        && let Some(layout) = size.layout()
    {
        // SAFETY: `take` allocated it with this layout; the caller promises the rest.
        unsafe { dealloc(block.as_ptr(), layout) };
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for (list, blocks) in self.free.iter_mut().enumerate() {
            let layout = Layout::from_size_align((list + 1) * ALIGN, ALIGN);
            for block in blocks.drain(..) {
                if let Ok(layout) = layout {
                    // SAFETY: `take` allocated the blocks of this list with this layout, and a free
                    // block is only here.
                    unsafe { dealloc(block.as_ptr(), layout) };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_kept_by_size() {
        let sizes = [1, 64, 65, 800, 4096].map(|bytes| SmallSize::new(bytes).unwrap());
        assert_eq!(SmallSize::new(0), None);
        assert_eq!(SmallSize::new(4097), None);
        let bytes: usize = sizes.iter().map(|size| size.bytes()).sum();
        assert_eq!(bytes, 64 + 64 + 128 + 832 + 4096);
        let blocks = sizes.map(|size| (take(size).unwrap(), size));
        for (block, size) in blocks {
            assert_eq!(block.as_ptr().addr() % ALIGN, 0);
            // SAFETY: taken above, and freed once.
            unsafe { free(block, size) };
        }
        let again = take(sizes[3]).unwrap();
        assert_eq!(again, blocks[3].0);
        // SAFETY: as above.
        unsafe { free(again, sizes[3]) };
    }

    #[test]
    fn a_thread_keeps_a_limited_number_of_bytes() {
        let size = SmallSize::new(4096).unwrap();
        let blocks: Vec<_> = (0..2 * KEPT / 4096).map(|_| take(size).unwrap()).collect();
        for block in blocks {
            // SAFETY: taken above, and freed once.
            unsafe { free(block, size) };
        }
        assert!(BLOCKS.with_borrow(|blocks| (1..=KEPT).contains(&blocks.kept)));
    }
}
