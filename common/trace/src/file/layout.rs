//! Versions, offsets and sizes of the file.
//!
//! Layout 1 has neither checksums nor a table of dropped records by kind; layout 2 has both. All
//! other offsets are the same. Both layouts are read.

#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "half of it is used only by writers")
)]

use crate::record::FRAME_MAX;

/// The first bytes of every file.
pub(crate) const MAGIC: [u8; 8] = *b"WEFTPROF";

/// The layout of new files. New kinds of records do not change it, since they describe themselves.
pub(crate) const VERSION: u32 = 2;

/// The layout without checksums.
pub(crate) const VERSION_1: u32 = 1;

/// Offsets in the head.
pub(crate) mod at {
    pub(crate) const VERSION: usize = 8;
    /// The offset of the lane table.
    pub(crate) const LANES_AT: usize = 12;
    pub(crate) const BLOCK_SIZE: usize = 16;
    pub(crate) const LANES: usize = 20;
    /// The offset of the first block.
    pub(crate) const BLOCKS_AT: usize = 24;
    pub(crate) const RUN_ID: usize = 32;
    pub(crate) const RANK: usize = 48;
    pub(crate) const RANKS: usize = 50;
    pub(crate) const PID: usize = 52;
    /// Clock readings: monotonic, wall, monotonic.
    pub(crate) const CLOCKS: usize = 56;
    pub(crate) const TEXT_SIZE: usize = 80;
    /// Layout 2: the offset of the table of dropped records by kind.
    pub(crate) const DROPPED_AT: usize = 84;
    /// Layout 2: the checksum of all bytes before it and of the text.
    pub(crate) const CHECKSUM: usize = 88;
    /// The live words, on a cache line of their own: blocks claimed (the top bit is set when no
    /// more can be), finished, and error number. In layout 2, the checksum word of these three and
    /// of the table of dropped records by kind follows.
    pub(crate) const LIVE: usize = 128;
    pub(crate) const FINISHED: usize = LIVE + 8;
    pub(crate) const ERRNO: usize = LIVE + 16;
    pub(crate) const END: usize = LIVE + 24;
    /// The text: host, boot id, program, kinds.
    pub(crate) const TEXT: usize = 256;
}

/// The word at [`at::FINISHED`] in a finished file. A few wrong bits cannot turn it into 0.
pub(crate) const FINISHED: u64 = u64::from_le_bytes(*b"FINISHED");

/// The word at [`at::FINISHED`] in a finished file of layout 1.
pub(crate) const FINISHED_1: u64 = 1;

/// The bit of the first live word that is set when no block can be claimed any more.
pub(crate) const ENDED: u64 = 1 << 63;

/// The number of kinds with a counter of dropped records. Kinds with higher codes count as code 0.
pub(crate) const DROPPED_KINDS: usize = 64;

/// The size of a lane's counters in bytes.
pub(crate) const SLOT_SIZE: usize = 128;

/// The offset of the checksum word in a lane's counters.
pub(crate) const SLOT_SEAL: usize = 56;

/// The size of a block's head in bytes.
pub(crate) const BLOCK_HEAD: usize = 64;

/// The offset of the checksum word in a block's head.
pub(crate) const BLOCK_SEAL: usize = 24;

/// The low half of a block's first word; the lane is the high half.
pub(crate) const BLOCK_MAGIC: u32 = u32::from_le_bytes(*b"WBLK");

/// The unit of sizes and offsets: whole pages on every machine with pages of this size.
pub(crate) const PAGE: usize = 4096;

/// The size of the smallest block.
pub(crate) const BLOCK_MIN: u32 = PAGE as u32;
/// The size of the largest block.
pub(crate) const BLOCK_MAX: u32 = 16 << 20;

const _: () = assert!(BLOCK_MAX as usize > FRAME_MAX + BLOCK_HEAD);

/// The offsets and sizes of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The offset of the counters of dropped records by kind; `None` in layout 1.
    pub(crate) dropped_at: Option<usize>,
    pub(crate) lanes_at: usize,
    pub(crate) lanes: u32,
    pub(crate) blocks_at: usize,
    pub(crate) block_size: usize,
}

impl Layout {
    /// Returns the layout of a file with `text` bytes of text in its head.
    pub(crate) fn new(text: usize, lanes: u32, block_size: u32) -> Self {
        let dropped_at = (at::TEXT + text).next_multiple_of(64);
        let lanes_at = (dropped_at + DROPPED_KINDS * 8).next_multiple_of(PAGE);
        Layout {
            dropped_at: Some(dropped_at),
            lanes_at,
            lanes,
            blocks_at: (lanes_at + lanes as usize * SLOT_SIZE).next_multiple_of(PAGE),
            block_size: block_size as usize,
        }
    }

    /// Whether the file has checksums.
    pub(crate) fn has_checksums(&self) -> bool {
        self.dropped_at.is_some()
    }

    /// Returns the number of bytes for frames in a block.
    pub(crate) fn room(&self) -> usize {
        self.block_size - BLOCK_HEAD
    }

    /// Returns the offset of a lane's counters.
    pub(crate) fn slot_at(&self, lane: u32) -> usize {
        self.lanes_at + lane as usize * SLOT_SIZE
    }

    /// Returns the offset of a block, which is also the size of a file with `index` blocks.
    pub(crate) fn block_at(&self, index: u64) -> u64 {
        self.blocks_at as u64 + index * self.block_size as u64
    }

    /// Returns the number of blocks that fit into a file of this size.
    pub(crate) fn blocks_within(&self, bytes: u64) -> u64 {
        bytes.saturating_sub(self.blocks_at as u64) / self.block_size as u64
    }
}

/// Whether these first bytes of a file are those of a `.prof` file of any version. Eight bytes are
/// enough.
pub fn is_prof(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}
