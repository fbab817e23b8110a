//! A pool of fixed capacity that keeps what is given back for the next request of its size.
//!
//! Fresh pages cost a fault each (about as much as writing them), so blocks go back to the machine only when another
//! size needs the room.

#![allow(unsafe_code, reason = "calls the allocator with layouts of its own")]

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alignment of small blocks: a cache line, and what wide vector loads want.
const ALIGN: usize = 64;
/// From this size on blocks are aligned to, and advised to use, huge pages.
const HUGE: usize = 2 << 20;

/// A block of memory of a pool. Belongs to whoever holds it until given back.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: a block is a unique owner of plain memory.
unsafe impl Send for Block {}
// SAFETY: a shared block only gives out its address.
unsafe impl Sync for Block {}

impl Block {
    /// Address of the first byte.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Bytes taken from the pool, at least those asked for.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    fn layout(size: usize) -> Layout {
        let align = if size >= HUGE { HUGE } else { ALIGN };
        // The size is a multiple of `ALIGN`, not 0 and below isize::MAX (checked in `take`).
        Layout::from_size_align(size, align).unwrap_or(Layout::new::<[u64; 8]>())
    }

    fn allocate(size: usize) -> Option<Block> {
        // SAFETY: the layout's size is not 0.
        let start = NonNull::new(unsafe { alloc(Self::layout(size)) })?;
        if size >= HUGE {
            // SAFETY: the range was just allocated; the advice changes no content, and failing it changes nothing.
            unsafe { libc::madvise(start.as_ptr().cast(), size, libc::MADV_HUGEPAGE) };
        }
        Some(Block { start, size })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated by `allocate` with the same layout, and owned by this block alone.
        unsafe { dealloc(self.start.as_ptr(), Self::layout(self.size)) }
    }
}

/// A request that the pool cannot meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory {
    /// Bytes asked for.
    pub(crate) asked: u64,
    /// Bytes held by instances.
    pub(crate) used: u64,
    /// Bytes the pool may hold.
    pub(crate) capacity: u64,
}

#[derive(Debug, Default)]
struct State {
    /// Bytes in blocks that are given out.
    live: usize,
    /// Bytes in blocks kept for reuse.
    kept: usize,
    /// Blocks kept for reuse, by size.
    free: BTreeMap<usize, Vec<Block>>,
}

/// A memory of fixed capacity.
#[derive(Debug)]
pub(crate) struct Pool {
    capacity: usize,
    state: Mutex<State>,
}

impl Pool {
    /// A pool that gives out at most `capacity` bytes at a time. Nothing is reserved.
    pub(crate) fn new(capacity: u64) -> Pool {
        let capacity = usize::try_from(capacity)
            .unwrap_or(usize::MAX)
            .min(isize::MAX as usize / 2);
        Pool {
            capacity,
            state: Mutex::default(),
        }
    }

    /// Bytes the pool may hold.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity as u64
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while the lock was held cannot leave the counts wrong: nothing in between panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a block of at least `bytes` bytes. Its content is undefined.
    pub(crate) fn take(&self, bytes: usize) -> Result<Block, OutOfMemory> {
        let size = rounded(bytes);
        let mut state = self.state();
        let out = |state: &State| OutOfMemory {
            asked: bytes as u64,
            used: state.live as u64,
            capacity: self.capacity as u64,
        };
        // A block up to an eighth too large is better than fresh pages.
        let fitting = state
            .free
            .range(size..=size.saturating_add(size / 8))
            .next()
            .map(|(size, _)| *size);
        if let Some(size) = fitting
            && let Some(block) = state.free.get_mut(&size).and_then(Vec::pop)
        {
            if state.free.get(&size).is_some_and(Vec::is_empty) && size >= HUGE {
                state.free.remove(&size);
            }
            state.kept -= size;
            state.live += size;
            return Ok(block);
        }
        if size > self.capacity || state.live > self.capacity - size {
            return Err(out(&state));
        }
        while state.live + state.kept > self.capacity - size {
            let Some((kept, blocks)) = state.free.pop_last() else {
                break;
            };
            state.kept -= kept * blocks.len();
        }
        let Some(block) = Block::allocate(size) else {
            return Err(out(&state));
        };
        state.live += size;
        Ok(block)
    }

    /// Takes a block back and keeps it for reuse.
    pub(crate) fn give_back(&self, block: Block) {
        let mut state = self.state();
        let size = block.size;
        state.live -= size;
        state.kept += size;
        state.free.entry(size).or_default().push(block);
    }
}

/// The size a request is rounded up to: few distinct sizes where blocks are small, little waste where they are large.
fn rounded(bytes: usize) -> usize {
    let step = match bytes {
        0..=1024 => ALIGN,
        1025..=65_536 => 1024,
        _ => 65_536,
    };
    bytes
        .max(1)
        .checked_next_multiple_of(step)
        .unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_given_back_is_reused() {
        let pool = Pool::new(1 << 20);
        let first = pool.take(1000).unwrap();
        let address = first.start();
        pool.give_back(first);
        assert_eq!(pool.take(990).unwrap().start(), address);
    }

    #[test]
    fn capacity_counts_what_is_held_and_kept_blocks_make_room() {
        let pool = Pool::new(1 << 20);
        let half = pool.take(1 << 19).unwrap();
        let error = pool.take(3 << 18).unwrap_err();
        assert_eq!(
            error,
            OutOfMemory {
                asked: 3 << 18,
                used: 1 << 19,
                capacity: 1 << 20
            }
        );
        pool.give_back(half);
        let most = pool.take(3 << 18).unwrap();
        assert!(pool.state().kept == 0 && most.size() == 3 << 18);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Pool::new(u64::MAX).take(usize::MAX - 7).is_err());
    }
}
