//! The supplies of addresses for pools.

#![allow(unsafe_code, reason = "gives back memory of its own")]

use crate::error::DriverError;

// Miri knows few of the calls that map memory.
#[cfg_attr(miri, path = "supply/interpreted.rs")]
mod pages;

use pages::{addresses_left, advise, drop_pages, map, map_aligned, page, unmap};

/// Alignment of small blocks: a cache line, which also suits wide vector loads.
pub(super) const ALIGN: usize = 64;
/// Size from which blocks are aligned to huge pages, if there is room.
pub(super) const HUGE: usize = 2 << 20;

/// The reason for a refused allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No memory is left.
    Full,
    /// The device that has the memory does not respond.
    Failed(DriverError),
}

/// Memory of one kind, in segments from which a pool cuts blocks. A pool returns each segment to
/// its supply, once. The trait's methods never read or write the memory, which the host may not be
/// able to access.
pub(crate) trait Supply: Send + Sync + std::fmt::Debug {
    /// Returns the address of a segment of `size` bytes, aligned to 64. `size` is a multiple of 64,
    /// not 0.
    fn allocate(&self, size: usize) -> Result<u64, Refusal>;

    /// Returns a segment of this size, which [`allocate`](Self::allocate) gave out, to the supply.
    /// Work on devices may still be using it: the supply waits for that.
    fn release(&self, start: u64, size: usize);

    /// Returns the segment size worth requesting if `size` bytes are needed and the pool may take
    /// at most `most` more.
    fn segment(&self, size: usize, most: usize) -> usize;

    /// Whether the memory consists of the system's pages, which can be returned while the addresses
    /// stay reserved.
    fn is_paged(&self) -> bool {
        false
    }

    /// Reserves addresses for `size` bytes, backed page by page on the first write. `None` if the
    /// supply does not support this. [`release`](Self::release) returns them.
    fn reserve(&self, _size: usize) -> Option<u64> {
        None
    }

    /// Announces that all of a part of reserved addresses is about to be written: huge pages are
    /// used if available.
    fn widen(&self, _start: u64, _size: usize) {}

    /// Discards the content of a part of a segment and releases its pages until the next write.
    /// Returns the number of bytes released.
    fn discard(&self, _start: u64, _size: usize) -> usize {
        0
    }
}

/// The process's own memory: addresses for the whole capacity at once, backed by the operating
/// system on the first write.
#[derive(Debug)]
pub(crate) struct System;

/// A segment of this size leaves enough address space to others, regardless of the limit.
const FEW: usize = 64 << 20;

/// The kind of pages requested for a part of a mapping.
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
            // The rest is for larger segments, and for the program and its libraries, which abort
            // if an allocation fails.
            Some(left) => most.min(FEW.max(left / 16)).max(size),
            None => most,
        }
    }

    fn reserve(&self, size: usize) -> Option<u64> {
        if size < HUGE {
            return Some(map(size)? as u64);
        }
        let start = map_aligned(size)?;
        // Otherwise a few bytes could take a huge page.
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
        // SAFETY: the pool passes free parts of its segments only; their content is of no use.
        let done = unsafe { drop_pages(first, end - first) };
        if done { end - first } else { 0 }
    }
}
