//! Where a pool's addresses come from.

#![allow(unsafe_code, reason = "gives back memory of its own")]

use crate::error::DriverError;

// Miri knows few of the calls that map memory.
#[cfg_attr(miri, path = "supply/interpreted.rs")]
mod pages;

use pages::{addresses_left, advise, drop_pages, map, map_aligned, page, unmap};

/// Alignment of small blocks: a cache line, and what wide vector loads want.
pub(super) const ALIGN: usize = 64;
/// From this size on blocks are aligned to huge pages, where there is room for that.
pub(super) const HUGE: usize = 2 << 20;

/// Why there is no memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is no memory left.
    Full,
    /// The device that has the memory does not answer.
    Failed(DriverError),
}

/// Memory of one kind, in segments that a pool cuts blocks from. A pool gives back what it got from the same supply, once.
/// Nothing here reads or writes the memory: the host may not be able to.
pub(crate) trait Supply: Send + Sync + std::fmt::Debug {
    /// The address of a segment of `size` bytes, aligned to 64. `size` is a multiple of 64, not 0.
    fn allocate(&self, size: usize) -> Result<u64, Refusal>;

    /// Gives back what [`allocate`](Self::allocate) gave for this size. Work on devices may still be using it: the supply
    /// waits for that.
    fn release(&self, start: u64, size: usize);

    /// How large a segment is worth asking for where `size` bytes are needed and the pool may take at most `most` more.
    fn segment(&self, size: usize, most: usize) -> usize;

    /// Whether the memory is the system's pages, which can be given back while the addresses stay.
    fn is_paged(&self) -> bool {
        false
    }

    /// Addresses for `size` bytes, of which nothing is backed until it is written, page by page. `None` where this supply has no
    /// such addresses. Given back by [`release`](Self::release).
    fn reserve(&self, _size: usize) -> Option<u64> {
        None
    }

    /// Says that all of a part of such addresses is going to be written: by huge pages, where there are any.
    fn widen(&self, _start: u64, _size: usize) {}

    /// Gives up the content of a part of a segment, so that its pages can serve others until it is written again. Returns how
    /// many bytes of pages that were.
    fn discard(&self, _start: u64, _size: usize) -> usize {
        0
    }
}

/// The process's own memory: addresses for the whole capacity at once, for which the operating system finds pages when
/// they are written.
#[derive(Debug)]
pub(crate) struct System;

/// A segment of so many bytes leaves enough to others, whatever the limit is.
const FEW: usize = 64 << 20;

/// Which pages a part of a mapping is to have.
#[derive(Clone, Copy)]
enum Pages {
    Small,
    Huge,
}

impl Supply for System {
    fn allocate(&self, size: usize) -> Result<u64, Refusal> {
        let start = map_aligned(size).ok_or(Refusal::Full)?;
        if size >= HUGE {
            advise(start, size, Pages::Huge);
        }
        Ok(start as u64)
    }

    fn release(&self, start: u64, size: usize) {
        // SAFETY: mapped above, and given back once.
        unsafe { unmap(start as usize, size) };
    }

    fn segment(&self, size: usize, most: usize) -> usize {
        match addresses_left() {
            // The rest is for larger segments, and for the program and its libraries, which end the process where they get none.
            Some(left) => most.min(FEW.max(left / 16)).max(size),
            None => most,
        }
    }

    fn reserve(&self, size: usize) -> Option<u64> {
        if size < HUGE {
            return Some(map(size)? as u64);
        }
        let start = map_aligned(size)?;
        // Else a few bytes could take a huge page.
        advise(start, size, Pages::Small);
        Some(start as u64)
    }

    fn widen(&self, start: u64, size: usize) {
        let first = (start as usize).next_multiple_of(HUGE);
        let end = (start as usize + size) / HUGE * HUGE;
        if first < end {
            advise(first, end - first, Pages::Huge);
        }
    }

    fn is_paged(&self) -> bool {
        true
    }

    fn discard(&self, start: u64, size: usize) -> usize {
        let first = (start as usize).next_multiple_of(page());
        let end = (start as usize + size) & !(page() - 1);
        if end <= first {
            return 0;
        }
        // SAFETY: the pool gives parts of its segments that nobody holds; their content is of no use.
        let done = unsafe { drop_pages(first, end - first) };
        if done { end - first } else { 0 }
    }
}
