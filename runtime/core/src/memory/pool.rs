//! A pool: blocks cut from segments of addresses, with a fixed total capacity.
//!
//! Blocks are cut from the smallest range that has room, and joined with free neighbours when they
//! return. Small blocks first wait in lists for the next request of their size; they are joined
//! when a request finds no room. All book-keeping is kept outside the memory, which the host may
//! not be able to access. Pages that were written stay, up to the soft limit, because fresh pages
//! cost about as much as writing them.
//!
//! In a run of many ranks the pool also has [reservations]: large stores count with what they hold,
//! not with what they could hold.

mod holders;
mod quick;
mod ranges;
mod reservations;

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::small::{self, SmallSize};
use super::supply::{ALIGN, HUGE, Refusal, Supply, System};
use super::uses::Uses;
use holders::Holders;
pub(crate) use holders::{Holder, Holding, Maker};
use quick::{FreeBlock, Quick};
use ranges::{End, Ranges};
use reservations::Reservations;
pub(crate) use reservations::{PAGE, pages};

/// A block of memory of a pool, owned by its holder until it is given back.
#[derive(Debug)]
pub(crate) struct Block {
    start: u64,
    size: usize,
    /// Its index in the list of holders.
    line: u32,
    /// The number of its reservation, if it is one.
    reservation: Option<u32>,
    /// Work on devices that may still be using it. A new holder waits for this work before writing.
    pub(crate) uses: Uses,
    /// The state of the pool with this block taken, if it changed much since the last report.
    pub(super) moment: Option<Figures>,
}

impl Block {
    /// Returns the address of the first byte, in the address space of its memory.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Returns the number of bytes taken from the pool, at least those requested; for a
    /// reservation, the bytes held.
    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

/// A pool at one moment, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Capacity of the pool.
    pub(crate) capacity: usize,
    /// Bytes held in blocks.
    pub(crate) live: usize,
    /// Peak of `live`.
    pub(crate) peak: usize,
    /// Size of the largest block that could be allocated.
    pub(crate) largest: usize,
    /// Bytes not held but retained: pages of the system, or memory of a device.
    pub(crate) kept: usize,
}

impl Figures {
    /// Returns the number of bytes that are not held.
    pub(crate) fn free(&self) -> usize {
        self.capacity.saturating_sub(self.live)
    }
}

/// A failed request to a pool.
#[derive(Debug)]
pub(crate) struct Shortage {
    /// Bytes requested.
    pub(crate) asked: usize,
    /// The state of the pool at the time.
    pub(crate) figures: Figures,
    /// The blocks held, largest first.
    pub(crate) holdings: Vec<Holding>,
    /// The refusal of the supply; `None` if the pool's own capacity is the limit.
    pub(crate) refusal: Option<Refusal>,
    /// Whether a part of a reservation was requested, which need not be contiguous.
    pub(crate) is_part: bool,
}

#[derive(Debug)]
struct State {
    /// The number of bytes held at the last report.
    told: usize,
    quick: Quick,
    ranges: Ranges,
    reservations: Reservations,
    holders: Holders,
    /// Number of requests before the one that fails, for tests of that failure.
    #[cfg(any(test, feature = "testing"))]
    fails_in: Option<u64>,
    /// Number of requests that failed.
    #[cfg(any(test, feature = "testing"))]
    failed: u64,
}

/// The bytes held.
#[derive(Debug, Default)]
struct HeldBytes {
    /// Bytes of the blocks of segments and reservations. Changed only under the pool's lock.
    blocks: AtomicUsize,
    /// Bytes of small blocks, which change without the lock.
    small: AtomicUsize,
    peak: AtomicUsize,
}

impl HeldBytes {
    fn live(&self) -> usize {
        self.blocks.load(Ordering::Relaxed) + self.small.load(Ordering::Relaxed)
    }

    fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed).max(self.live())
    }

    #[inline]
    fn note_peak(&self, live: usize) {
        if live > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(live, Ordering::Relaxed);
        }
    }

    /// Adds the bytes of a block.
    fn add(&self, bytes: usize) {
        let blocks = self.blocks.load(Ordering::Relaxed) + bytes;
        self.blocks.store(blocks, Ordering::Relaxed);
        self.note_peak(self.live());
    }

    /// Subtracts the bytes of a block.
    fn remove(&self, bytes: usize) {
        let blocks = self.blocks.load(Ordering::Relaxed) - bytes;
        self.blocks.store(blocks, Ordering::Relaxed);
    }

    /// Adds the bytes of a small block. Returns false, and adds nothing, if small blocks would have
    /// more than `most` bytes, or all together more than `capacity`.
    #[inline]
    fn add_small(&self, bytes: usize, most: usize, capacity: usize) -> bool {
        let small = self.small.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let live = self.blocks.load(Ordering::Relaxed) + small;
        let fits = small <= most && live <= capacity;
        match fits {
            true => self.note_peak(live),
            false => self.remove_small(bytes),
        }
        fits
    }

    #[inline]
    fn remove_small(&self, bytes: usize) {
        self.small.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A memory of fixed capacity.
#[derive(Debug)]
pub(crate) struct Pool {
    capacity: usize,
    /// Limit in bytes above which free memory is returned to the system.
    soft: usize,
    /// Whether large stores are reserved.
    reserves: bool,
    supply: Box<dyn Supply>,
    state: Mutex<State>,
    held: HeldBytes,
    /// Bytes of all existing large stores, with or without memory, including the rounding of their
    /// blocks.
    expected: AtomicUsize,
}

/// The part of the capacity that small blocks may have, which have no holders.
const SMALL_PART: usize = 64;

/// The bytes that small blocks may have at least, if a pool has any.
const SMALL_LEAST: usize = 256 << 10;

/// Changes below this number of bytes are not reported.
const TOLD: usize = 65_536;

impl Pool {
    /// Creates a pool of the process's own memory with a capacity of `capacity` bytes. It reserves
    /// addresses, not pages.
    pub(crate) fn new(capacity: u64) -> Pool {
        Pool::supplied(capacity, Box::new(System))
    }

    /// Creates a pool of other memory.
    pub(crate) fn supplied(capacity: u64, supply: Box<dyn Supply>) -> Pool {
        let capacity = usize::try_from(capacity)
            .unwrap_or(usize::MAX)
            .min(isize::MAX as usize / 2)
            / ALIGN
            * ALIGN;
        let state = State {
            told: 0,
            quick: Quick::new((capacity / 8).min(4 << 20)),
            ranges: Ranges::default(),
            reservations: Reservations::default(),
            holders: Holders::default(),
            #[cfg(any(test, feature = "testing"))]
            fails_in: None,
            #[cfg(any(test, feature = "testing"))]
            failed: 0,
        };
        Pool {
            capacity,
            soft: capacity,
            reserves: false,
            supply,
            state: Mutex::new(state),
            held: HeldBytes::default(),
            expected: AtomicUsize::new(0),
        }
    }

    /// Sets a limit in bytes above which no free memory is retained.
    pub(crate) fn with_soft_limit(mut self, bytes: u64) -> Pool {
        let soft = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.soft = soft.min(self.capacity);
        self
    }

    /// Returns the capacity in bytes.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity as u64
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while the lock was held cannot leave the counts wrong: nothing in between panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a block of at least `bytes` bytes for `holder`. Its content is undefined, and the work
    /// on devices in [`Block::uses`] may still be using it. A failed request returns the holder.
    #[allow(
        clippy::result_large_err,
        reason = "a failed request ends an operation; boxing the error would need memory"
    )]
    pub(crate) fn take(&self, bytes: usize, holder: Holder) -> Result<Block, (Holder, Shortage)> {
        let size = rounded(bytes);
        let mut state = self.state();
        #[cfg(any(test, feature = "testing"))]
        if state.is_to_fail() {
            return Err((holder, self.out(&mut state, bytes, None)));
        }
        let found = match state.quick_take(size) {
            Some(kept) => Ok((kept.start, kept.uses)),
            None => self.find(&mut state, size),
        };
        let (start, uses) = match found {
            Ok(found) => found,
            Err(refusal) => return Err((holder, self.out(&mut state, bytes, refusal))),
        };
        self.held.add(size);
        let line = state.holders.add(Holding {
            holder,
            start,
            size,
            whole: size,
        });
        self.make_way(&mut state);
        let moment = state
            .has_changed(self.held.live())
            .then(|| self.figures_of(&state));
        Ok(Block {
            start,
            size,
            line,
            reservation: None,
            uses,
            moment,
        })
    }

    /// Finds a block that is in no list: in the ranges, in a new segment of the supply, or after
    /// joining the small blocks.
    fn find(&self, state: &mut State, size: usize) -> Result<(u64, Uses), Option<Refusal>> {
        if size > self.free() {
            return Err(None);
        }
        let end = match size {
            small if small <= quick::LARGEST => End::High,
            // Segments are aligned, and sizes are multiples of that alignment.
            middling if middling < HUGE => End::Low(1),
            // Only the system's pages benefit from this, and only their segments begin so;
            // elsewhere a gap would be lost.
            _ if !self.supply.is_paged() => End::Low(1),
            _ => End::Low(HUGE),
        };
        if let Some(found) = state.ranges.take(size, end) {
            return Ok(found);
        }
        let mut refusal = self.map(state, size).err();
        if refusal.is_some() {
            state.join_all();
            if let Some(found) = state.ranges.take(size, end) {
                return Ok(found);
            }
            // Releasing free segments may make room for a larger one.
            if state.ranges.in_free_segments() > 0 {
                self.release_free(state);
                refusal = self.map(state, size).err();
            }
        }
        match (state.ranges.take(size, end), refusal) {
            (Some(found), _) => Ok(found),
            (None, refusal) => Err(refusal.flatten()),
        }
    }

    /// Maps a segment with room for `size` bytes. `Err(None)`: the capacity does not allow it.
    fn map(&self, state: &mut State, size: usize) -> Result<(), Option<Refusal>> {
        let most = self.capacity - state.ranges.mapped();
        if size > most {
            return Err(None);
        }
        let mut wanted = self.supply.segment(size, most) / ALIGN * ALIGN;
        wanted = wanted.clamp(size, most);
        loop {
            match self.supply.allocate(wanted) {
                Ok(start) => {
                    state.ranges.add_segment(start, wanted);
                    return Ok(());
                }
                // A smaller segment may be available; try the largest sizes first.
                Err(Refusal::Full) if wanted > size => {
                    wanted = (wanted / 2 / ALIGN * ALIGN).max(size);
                }
                Err(refusal) => return Err(Some(refusal)),
            }
        }
    }

    fn release_free(&self, state: &mut State) -> usize {
        let segments = state.ranges.remove_free_segments();
        for (start, size) in &segments {
            self.supply.release(*start, *size);
        }
        segments.iter().map(|(_, size)| size).sum()
    }

    /// Returns the size of the largest segment that could be mapped after releasing the free
    /// segments.
    fn fresh(&self, state: &State) -> usize {
        self.capacity - state.ranges.mapped() + state.ranges.in_free_segments()
    }

    /// Returns the number of bytes that are free but retained.
    fn retained_bytes(&self, state: &State) -> usize {
        let in_ranges = match self.supply.is_paged() {
            true => state.ranges.warm(),
            false => state.ranges.free(),
        };
        in_ranges + state.quick.bytes() + state.reservations.retained_bytes()
    }

    fn figures_of(&self, state: &State) -> Figures {
        Figures {
            capacity: self.capacity,
            live: self.held.live(),
            peak: self.held.peak(),
            largest: match self.reserves {
                // Held parts need not be contiguous.
                true => self.free(),
                false => state
                    .ranges
                    .largest()
                    .max(self.fresh(state))
                    .min(self.free()),
            },
            kept: self.retained_bytes(state),
        }
    }

    /// Returns the current state of the pool.
    pub(crate) fn figures(&self) -> Figures {
        let mut state = self.state();
        state.join_all();
        self.figures_of(&state)
    }

    /// Returns all held blocks with their holders, largest first.
    pub(crate) fn holdings(&self) -> Vec<Holding> {
        let state = self.state();
        let mut holdings: Vec<Holding> = state.holders.iter().cloned().collect();
        drop(state);
        holdings.sort_by_key(|holding| (std::cmp::Reverse(holding.size), holding.start));
        holdings
    }

    fn out(&self, state: &mut State, asked: usize, refusal: Option<Refusal>) -> Shortage {
        #[cfg(any(test, feature = "testing"))]
        {
            state.failed += 1;
        }
        state.join_all();
        let mut holdings: Vec<Holding> = state.holders.iter().cloned().collect();
        holdings.sort_by_key(|holding| (std::cmp::Reverse(holding.size), holding.start));
        Shortage {
            asked,
            figures: self.figures_of(state),
            holdings,
            refusal,
            is_part: false,
        }
    }

    /// Returns whether a block of `bytes` bytes fits, in a new segment if the supply grants one.
    pub(crate) fn fits(&self, bytes: usize) -> bool {
        let size = rounded(bytes);
        let mut state = self.state();
        state.join_all();
        size <= self.free() && state.ranges.largest().max(self.fresh(&state)) >= size
    }

    /// Whether a block of `bytes` bytes, or `bytes` more of a reservation, would fit if these
    /// blocks were given back.
    pub(crate) fn would_fit(&self, bytes: usize, is_part: bool, without: &[(u64, usize)]) -> bool {
        let size = rounded(bytes);
        let mut state = self.state();
        state.join_all();
        let given: usize = without.iter().map(|(_, size)| size).sum();
        if size > self.free() + given {
            return false;
        }
        let in_segments = |block: &&(u64, usize)| state.ranges.holds(block.0);
        let blocks: Vec<_> = without.iter().filter(in_segments).copied().collect();
        let largest = state.ranges.largest_with(&blocks);
        is_part || largest.max(self.fresh(&state)) >= size
    }

    /// Returns the capacity with which another block of `bytes` bytes, or `bytes` more of a
    /// reservation, would fit.
    pub(crate) fn capacity_for(&self, bytes: usize, is_part: bool) -> u64 {
        let size = rounded(bytes);
        let mut state = self.state();
        state.join_all();
        let free = self.free();
        // If there is one segment, added capacity extends its end.
        let at_end = match is_part {
            true => free,
            false => self.fresh(&state).max(state.ranges.tail()).min(free),
        };
        (self.capacity as u64).saturating_add(size.saturating_sub(at_end) as u64)
    }

    /// Adds the bytes of a new store.
    #[inline]
    pub(crate) fn expect(&self, bytes: usize) {
        if bytes >= TOLD {
            self.expected.fetch_add(rounded(bytes), Ordering::Relaxed);
        }
    }

    /// Subtracts the bytes of a store that ends.
    #[inline]
    pub(crate) fn expect_no_more(&self, bytes: usize) {
        if bytes >= TOLD {
            self.expected.fetch_sub(rounded(bytes), Ordering::Relaxed);
        }
    }

    /// Returns a capacity with which all existing stores surely fit at once, with a sixteenth for
    /// gaps between them.
    pub(crate) fn capacity_for_all(&self) -> u64 {
        let expected = self.expected.load(Ordering::Relaxed) as u64;
        expected.saturating_add(expected / 16)
    }

    /// Returns the number of bytes that are not held.
    fn free(&self) -> usize {
        self.capacity.saturating_sub(self.held.live())
    }

    /// Takes a small block, which is not of the pool's segments. Returns `None` if the pool is
    /// small or full, or small blocks have a 64th of its capacity.
    #[inline]
    pub(super) fn take_small(&self, size: SmallSize) -> Option<NonNull<u8>> {
        let (bytes, most) = (size.bytes(), self.capacity / SMALL_PART);
        if most < SMALL_LEAST || !self.held.add_small(bytes, most, self.capacity) {
            return None;
        }
        let block = small::take(size);
        if block.is_none() {
            self.held.remove_small(bytes);
        }
        block
    }

    /// Counts a small block as freed.
    #[inline]
    pub(super) fn remove_small(&self, size: SmallSize) {
        self.held.remove_small(size.bytes());
    }

    /// Whether fewer than `bytes` bytes are free.
    pub(crate) fn lacks(&self, bytes: usize) -> bool {
        self.free() < bytes
    }

    /// Whether `bytes` more contiguous bytes fit below the soft limit.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.soft.saturating_sub(self.held.live()) >= bytes
    }

    /// Takes a block back. Returns the state of the pool if it changed much since the last report.
    pub(crate) fn give_back(&self, block: Block) -> Option<Figures> {
        let mut state = self.state();
        let Block {
            start,
            size,
            line,
            uses,
            reservation,
            ..
        } = block;
        self.held.remove(size);
        let holding = state.holders.remove(line);
        if let Some(number) = reservation {
            state.reservations.give(number, &*self.supply);
            self.make_way(&mut state);
        } else if let Err(kept) = state.quick.keep(size, FreeBlock { start, uses }) {
            state.ranges.give(start, size, size, kept.uses);
            self.heed_soft_limit(&mut state);
        }
        let moment = state
            .has_changed(self.held.live())
            .then(|| self.figures_of(&state));
        drop(state);
        drop(holding);
        moment
    }

    fn heed_soft_limit(&self, state: &mut State) {
        if self.soft == self.capacity {
            return;
        }
        let most = self.soft.saturating_sub(self.held.live());
        if self.supply.is_paged() {
            let discard = |start, size| self.supply.discard(start, size);
            state.ranges.discard(most, discard);
        } else if state.ranges.free() > most {
            self.release_free(state);
        }
    }

    /// Releases all retained memory to the system; returns an upper bound of the bytes released.
    pub(crate) fn reclaim(&self) -> u64 {
        let mut state = self.state();
        state.join_all();
        if !self.supply.is_paged() {
            return self.release_free(&mut state) as u64;
        }
        let reserved = state.reservations.shed(usize::MAX, &*self.supply);
        let discard = |start, size| self.supply.discard(start, size);
        (reserved + state.ranges.discard(0, discard)) as u64
    }

    /// Makes the `after`-th request from now fail, counted from 0. Returns whether an earlier
    /// failure was still pending.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn fail_take(&self, after: Option<u64>) -> bool {
        std::mem::replace(&mut self.state().fails_in, after).is_some()
    }

    /// Returns the number of requests that failed.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn failed(&self) -> u64 {
        self.state().failed
    }
}

impl State {
    /// Whether a test makes this request fail.
    #[cfg(any(test, feature = "testing"))]
    fn is_to_fail(&mut self) -> bool {
        let fails = self.fails_in == Some(0);
        self.fails_in = self.fails_in.and_then(|left| left.checked_sub(1));
        fails
    }

    fn quick_take(&mut self, size: usize) -> Option<FreeBlock> {
        match size {
            0..=quick::LARGEST => self.quick.take(size),
            _ => None,
        }
    }

    /// Joins the blocks in lists with their free neighbours.
    fn join_all(&mut self) {
        for (size, kept) in self.quick.drain() {
            self.ranges.give(kept.start, size, size, kept.uses);
        }
    }

    /// Whether the held bytes changed much since the last report; if so, this counts as a report.
    fn has_changed(&mut self, live: usize) -> bool {
        let much = live.abs_diff(self.told) >= TOLD.max(self.told / 8);
        if much {
            self.told = live;
        }
        much
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let segments = state.ranges.segments();
        for (start, size) in segments.chain(state.reservations.mappings()) {
            self.supply.release(start, size);
        }
    }
}

/// Returns the size that a request is rounded up to: few distinct sizes where lists keep blocks,
/// little waste above.
fn rounded(bytes: usize) -> usize {
    let step = match bytes {
        0..=1024 => ALIGN,
        1025..=quick::LARGEST => 1024,
        _ => ALIGN,
    };
    bytes
        .max(1)
        .checked_next_multiple_of(step)
        .unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
