//! Where the protocol's words and bytes are.

use std::sync::atomic::{AtomicU64, Ordering};

/// An atomic word of 64 bits.
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

/// What decides whether a record may be written.
#[derive(Debug)]
pub(crate) struct Gate<'a, W> {
    /// Blocks claimed; [`ENDED`](crate::file::layout::ENDED) is set at the end.
    pub(crate) claims: &'a W,
    /// Blocks whose space is reserved.
    pub(crate) reserved: &'a W,
    /// Not 0: no further records.
    pub(crate) closed: &'a W,
}

/// One lane's counters.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub(crate) struct Slot<W> {
    /// Records that were to be written.
    pub(crate) produced: W,
    /// Records that are in the file.
    pub(crate) committed: W,
    /// Records given up, for each [`DropReason`](super::DropReason).
    pub(crate) dropped: [W; super::REASONS],
    /// The checksum word of those that do not change after the end.
    pub(crate) seal: W,
}

/// The head of a block.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct BlockHead<W> {
    /// Magic in the low half, lane in the high half.
    pub(crate) id: W,
    /// The block's own number.
    pub(crate) index: W,
    /// Bytes committed in the low half, records committed in the high half.
    pub(crate) commit: W,
    /// The checksum word of the words above and of what is committed.
    pub(crate) seal: W,
}

/// The right to write to one block. There is one for each block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    index: u64,
}

impl Claim {
    /// For the one place that counts blocks up.
    pub(super) fn new(index: u64) -> Self {
        Claim { index }
    }

    pub(crate) fn index(&self) -> u64 {
        self.index
    }
}

/// A block to which nothing more will be written. Made where that was found out, in [`seal`](super::seal) only.
#[derive(Debug)]
pub(crate) struct Still {
    index: u64,
}

impl Still {
    pub(super) fn new(index: u64) -> Self {
        Still { index }
    }

    pub(crate) fn index(&self) -> u64 {
        self.index
    }
}

/// The words and bytes of one file.
pub(crate) trait Storage {
    type Word: Word;

    fn gate(&self) -> Gate<'_, Self::Word>;

    /// Number of slots. Slot 0 is shared by all threads that have none of their own.
    fn lanes(&self) -> u32;

    fn slot(&self, lane: u32) -> &Slot<Self::Word>;

    fn block(&self, claim: &Claim) -> &BlockHead<Self::Word>;

    /// The head of a block by its number; `None` if its space is not reserved.
    fn reserved_block(&self, index: u64) -> Option<&BlockHead<Self::Word>>;

    /// Bytes for frames in a block.
    fn room(&self) -> usize;

    /// Blocks that the file may have in the end.
    fn limit(&self) -> u64;

    /// Lets `fill` write `size` bytes that begin `at` bytes after the head of the block.
    fn fill(&self, claim: &mut Claim, at: usize, size: usize, fill: impl FnOnce(&mut [u8]));

    /// Shows `read` the first `size` bytes after the head of a block.
    fn read(&self, block: &Still, size: usize, read: impl FnOnce(&[u8]) -> u32) -> u32;

    /// Between a store of this thread and its next load, as far as [`Self::heavy_barrier`] of another one sees them.
    fn light_barrier(&self);

    /// Between a store of this thread and its next load, and the same in all other threads.
    fn heavy_barrier(&self);

    /// A block was claimed, or none was ready: more may be needed soon.
    fn claimed(&self);

    /// Nothing more will be written to the block, whose head says that it is full.
    fn retired(&self, claim: Claim);

    /// A record of this kind is given up, for another reason than the end.
    fn dropped(&self, kind: u8);
}
