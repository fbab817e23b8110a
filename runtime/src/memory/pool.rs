//! A pool of fixed capacity that keeps what is given back for the next request of its size.
//!
//! Fresh pages cost a fault each (about as much as writing them), and memory of a device a call that waits for it. So blocks
//! go back to where they came from only when another size needs the room.

use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

use weft_trace::id::StoreUid;

use super::supply::{ALIGN, HUGE, Refusal, Supply, System};
use super::uses::Uses;

/// A block of memory of a pool. Belongs to whoever holds it until given back.
#[derive(Debug)]
pub(crate) struct Block {
    start: u64,
    size: usize,
    /// Its line in the list of holders.
    slot: u32,
    /// Work on devices that may still be using it. Whoever gets the block waits for these before writing.
    pub(crate) uses: Uses,
}

impl Block {
    /// Address of the first byte, in the address space of its memory.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Bytes taken from the pool, at least those asked for.
    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

/// Who holds a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    /// The store whose data it is.
    pub(crate) store: StoreUid,
    /// The call that made the store.
    pub(crate) location: &'static Location<'static>,
    /// Bytes of the block.
    pub(crate) bytes: u64,
}

/// A request that the pool cannot meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory {
    /// Bytes asked for.
    pub(crate) asked: u64,
    /// Bytes held by instances.
    pub(crate) used: u64,
    /// Bytes the pool may hold.
    pub(crate) capacity: u64,
    /// Who holds what is held, largest first.
    pub(crate) holders: Vec<Holder>,
    /// What the supply said; `None` where the pool's own capacity is the limit.
    pub(crate) refusal: Option<Refusal>,
}

/// A block kept for reuse.
#[derive(Debug)]
struct Kept {
    start: u64,
    uses: Uses,
}

#[derive(Debug, Default)]
struct State {
    /// Bytes in blocks that are given out.
    live: usize,
    /// Bytes in blocks kept for reuse.
    kept: usize,
    /// Blocks kept for reuse, by size.
    free: BTreeMap<usize, Vec<Kept>>,
    /// Who holds what is given out.
    holders: Vec<Option<Holder>>,
    /// Lines of `holders` that are empty.
    vacant: Vec<u32>,
}

impl State {
    fn give(&mut self, start: u64, size: usize, uses: Uses, holder: Holder) -> Block {
        self.live += size;
        let holder = Some(Holder {
            bytes: size as u64,
            ..holder
        });
        let slot = match self.vacant.pop() {
            Some(slot) => {
                self.holders[slot as usize] = holder;
                slot
            }
            None => {
                self.holders.push(holder);
                self.holders.len() as u32 - 1
            }
        };
        Block {
            start,
            size,
            slot,
            uses,
        }
    }
}

/// A memory of fixed capacity.
#[derive(Debug)]
pub(crate) struct Pool {
    capacity: usize,
    supply: Box<dyn Supply>,
    state: Mutex<State>,
}

impl Pool {
    /// A pool of the process's own memory that gives out at most `capacity` bytes at a time. Nothing is reserved.
    pub(crate) fn new(capacity: u64) -> Pool {
        Pool::supplied(capacity, Box::new(System))
    }

    /// A pool of other memory.
    pub(crate) fn supplied(capacity: u64, supply: Box<dyn Supply>) -> Pool {
        let capacity = usize::try_from(capacity)
            .unwrap_or(usize::MAX)
            .min(isize::MAX as usize / 2);
        Pool {
            capacity,
            supply,
            state: Mutex::default(),
        }
    }

    /// Bytes the pool may hold.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity as u64
    }

    /// Whether so many bytes more could be given out, if they lie together.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.capacity.saturating_sub(self.state().live) >= bytes
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while the lock was held cannot leave the counts wrong: nothing in between panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a block of at least `bytes` bytes for `holder`. Its content is undefined, and work on devices that
    /// [`Block::uses`] names may still be using it.
    pub(crate) fn take(&self, bytes: usize, holder: Holder) -> Result<Block, OutOfMemory> {
        let size = rounded(bytes);
        let mut state = self.state();
        // A block up to an eighth too large is better than fresh pages.
        let fitting = state
            .free
            .range(size..=size.saturating_add(size / 8))
            .next()
            .map(|(size, _)| *size);
        if let Some(size) = fitting
            && let Some(kept) = state.free.get_mut(&size).and_then(Vec::pop)
        {
            if state.free.get(&size).is_some_and(Vec::is_empty) && size >= HUGE {
                state.free.remove(&size);
            }
            state.kept -= size;
            return Ok(state.give(kept.start, size, kept.uses, holder));
        }
        if size > self.capacity || state.live > self.capacity - size {
            return Err(self.out(&state, bytes));
        }
        while state.live + state.kept > self.capacity - size && self.evict(&mut state) {}
        loop {
            let refusal = match self.supply.allocate(size) {
                Ok(start) => return Ok(state.give(start, size, Uses::default(), holder)),
                Err(refusal) => refusal,
            };
            if refusal != Refusal::Full || !self.evict(&mut state) {
                let refusal = Some(refusal);
                return Err(OutOfMemory {
                    refusal,
                    ..self.out(&state, bytes)
                });
            }
        }
    }

    /// Gives the largest blocks that are kept back to the supply; false where none are kept.
    fn evict(&self, state: &mut State) -> bool {
        let Some((size, blocks)) = state.free.pop_last() else {
            return false;
        };
        state.kept -= size * blocks.len();
        for block in blocks {
            self.supply.release(block.start, size);
        }
        true
    }

    fn out(&self, state: &State, asked: usize) -> OutOfMemory {
        let mut holders: Vec<Holder> = state.holders.iter().flatten().copied().collect();
        holders.sort_by_key(|holder| std::cmp::Reverse(holder.bytes));
        OutOfMemory {
            asked: asked as u64,
            used: state.live as u64,
            capacity: self.capacity as u64,
            holders,
            refusal: None,
        }
    }

    /// Takes a block back and keeps it for reuse.
    pub(crate) fn give_back(&self, block: Block) {
        let mut state = self.state();
        let Block {
            start,
            size,
            slot,
            uses,
        } = block;
        state.live -= size;
        state.kept += size;
        if let Some(holder) = state.holders.get_mut(slot as usize) {
            *holder = None;
            state.vacant.push(slot);
        }
        let kept = Kept { start, uses };
        state.free.entry(size).or_default().push(kept);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let state = std::mem::take(self.state.get_mut().unwrap_or_else(PoisonError::into_inner));
        for (size, blocks) in state.free {
            for block in blocks {
                self.supply.release(block.start, size);
            }
        }
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
    use weft_trace::id::Uid;

    use super::*;

    #[track_caller]
    fn holder() -> Holder {
        Holder {
            store: Uid::new(weft_trace::id::Rank::default(), 1).unwrap().into(),
            location: Location::caller(),
            bytes: 0,
        }
    }

    #[test]
    fn a_block_given_back_is_reused() {
        let pool = Pool::new(1 << 20);
        let first = pool.take(1000, holder()).unwrap();
        let address = first.start();
        pool.give_back(first);
        let second = pool.take(990, holder()).unwrap();
        assert_eq!(second.start(), address);
        pool.give_back(second);
    }

    #[test]
    fn capacity_counts_what_is_held_and_kept_blocks_make_room() {
        let pool = Pool::new(1 << 20);
        let half = pool.take(1 << 19, holder()).unwrap();
        let error = pool.take(3 << 18, holder()).unwrap_err();
        assert_eq!(
            (error.asked, error.used, error.capacity),
            (3 << 18, 1 << 19, 1 << 20)
        );
        let held: Vec<u64> = error.holders.iter().map(|holder| holder.bytes).collect();
        assert_eq!(held, [1 << 19]);
        pool.give_back(half);
        let most = pool.take(3 << 18, holder()).unwrap();
        assert!(pool.state().kept == 0 && most.size() == 3 << 18);
        pool.give_back(most);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Pool::new(u64::MAX).take(usize::MAX - 7, holder()).is_err());
    }
}
