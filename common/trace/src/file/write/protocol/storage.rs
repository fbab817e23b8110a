//! Storage of the protocol's words and bytes.

use std::sync::atomic::{AtomicU64, Ordering};

/// A 64-bit atomic word.
pub(crate) trait Word {
    fn load(&self, order: Ordering) -> u64;
    fn store(&self, value: u64, order: Ordering);
    fn fetch_add(&self, value: u64, order: Ordering) -> u64;
    fn fetch_or(&self, value: u64, order: Ordering) -> u64;
    fn exchange(&self, old: u64, new: u64, ok: Ordering, failed: Ordering) -> Result<u64, u64>;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            #[inline]
            fn load(&self, order: Ordering) -> u64 {
                self.load(order)
            }
            #[inline]
            fn store(&self, value: u64, order: Ordering) {
                self.store(value, order);
            }
            #[inline]
            fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
                self.fetch_add(value, order)
            }
            #[inline]
            fn fetch_or(&self, value: u64, order: Ordering) -> u64 {
                self.fetch_or(value, order)
            }
            #[inline]
            fn exchange(
                &self,
                old: u64,
                new: u64,
                ok: Ordering,
                failed: Ordering,
            ) -> Result<u64, u64> {
                self.compare_exchange_weak(old, new, ok, failed)
            }
        }
    };
}

word!(AtomicU64);
#[cfg(all(test, loom))]
word!(loom::sync::atomic::AtomicU64);

/// The words that decide whether a record may be written.
#[derive(Debug)]
pub(crate) struct Gate<'a, W> {
    /// The number of claimed blocks. [`ENDED`](crate::file::layout::ENDED) is set at the end.
    pub(crate) claims: &'a W,
    /// The number of blocks with reserved space.
    pub(crate) reserved: &'a W,
    /// Nonzero if no further records may be written.
    pub(crate) closed: &'a W,
}

/// The counters of one lane.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub(crate) struct Slot<W> {
    /// Records that the thread tried to write.
    pub(crate) produced: W,
    /// Records that are in the file.
    pub(crate) committed: W,
    /// Dropped records, for each [`DropReason`](super::DropReason).
    pub(crate) dropped: [W; super::REASONS],
    /// The checksum word of the counters that do not change after the end.
    pub(crate) seal: W,
}

/// The head of a block.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct BlockHead<W> {
    /// The magic in the low half, and the lane in the high half.
    pub(crate) id: W,
    /// The number of the block.
    pub(crate) index: W,
    /// The committed bytes in the low half, and the committed records in the high half.
    pub(crate) commit: W,
    /// The checksum word of the words above and of the committed bytes.
    pub(crate) seal: W,
}

/// The right to write to one block, of which there is only one for each block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    index: u64,
}

impl Claim {
    /// Creates the claim of a block. Only the code that counts blocks may call this.
    pub(super) fn new(index: u64) -> Self {
        Claim { index }
    }

    pub(crate) fn index(&self) -> u64 {
        self.index
    }
}

/// A block that is never written again. Created only in [`seal`](super::seal), which finds out.
#[derive(Debug)]
pub(crate) struct SealedBlock {
    index: u64,
}

impl SealedBlock {
    pub(super) fn new(index: u64) -> Self {
        SealedBlock { index }
    }

    pub(crate) fn index(&self) -> u64 {
        self.index
    }
}

/// The words and bytes of one file.
pub(crate) trait Storage {
    type Word: Word;

    fn gate(&self) -> Gate<'_, Self::Word>;

    /// Returns the number of slots. Slot 0 is shared by all threads without a slot of their own.
    fn lanes(&self) -> u32;

    fn slot(&self, lane: u32) -> &Slot<Self::Word>;

    fn block(&self, claim: &Claim) -> &BlockHead<Self::Word>;

    /// Returns the head of the block with this number; `None` if its space is not reserved.
    fn reserved_block(&self, index: u64) -> Option<&BlockHead<Self::Word>>;

    /// Returns the number of bytes for frames in a block.
    fn room(&self) -> usize;

    /// Returns the largest number of blocks of the file.
    fn limit(&self) -> u64;

    /// Calls `fill` with the `size` bytes that begin `at` bytes after the head of the block.
    fn fill(&self, claim: &mut Claim, at: usize, size: usize, fill: impl FnOnce(&mut [u8]));

    /// Calls `read` with the first `size` bytes after the head of a block.
    fn read(&self, block: &SealedBlock, size: usize, read: impl FnOnce(&[u8]) -> u32) -> u32;

    /// Orders a store of this thread before its next load, as seen by a [`Self::heavy_barrier`] of
    /// another thread.
    fn light_barrier(&self);

    /// Orders a store of this thread before its next load, in this and in all other threads.
    fn heavy_barrier(&self);

    /// Called after a block was claimed, or none was available: more may be needed soon.
    fn claimed(&self);

    /// Called when a block is complete. Its head is marked as full.
    fn retired(&self, claim: Claim);

    /// Called when a record of this kind is dropped, for a reason other than the end.
    fn dropped(&self, kind: u8);
}
