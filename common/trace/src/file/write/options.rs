//! Options of the size and growth of a file.

use crate::file::layout::{BLOCK_MAX, BLOCK_MIN, Layout};

/// Options of a [`ProfWriter`](crate::file::ProfWriter). Values out of range are clamped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// The largest size of the file in bytes; further records are dropped and counted. Default: 8
    /// GiB.
    pub limit: u64,
    /// The number of threads that can write at the same time, 1 to 65,535. Records of further
    /// threads are dropped and counted. Default: 512.
    pub lanes: u32,
    /// The size of a block in bytes, a power of two from 4 KiB to 16 MiB. Smaller blocks are used
    /// if the limit would hold fewer than 16. Default: 256 KiB.
    pub block_size: u32,
    /// The number of bytes reserved ahead of need, at first. It grows to at most eight times that
    /// if reserved space runs low. Default: 32 MiB.
    pub ahead: u64,
    /// Whether an existing file is replaced; otherwise it is an error. Default: `false`.
    pub replace: bool,
}

impl WriterOptions {
    /// Returns the defaults with a limit of `limit` bytes.
    pub fn limited(limit: u64) -> WriterOptions {
        WriterOptions {
            limit,
            ..WriterOptions::default()
        }
    }
}

impl Default for WriterOptions {
    fn default() -> Self {
        WriterOptions {
            limit: 8 << 30,
            lanes: 512,
            block_size: 256 << 10,
            ahead: 32 << 20,
            replace: false,
        }
    }
}

impl WriterOptions {
    /// Returns the layout of a file with `text` bytes of text in its head and at most `limit`
    /// bytes. It has one extra lane: lane 0 counts for threads that found no free lane.
    pub(crate) fn layout(&self, text: usize, limit: u64) -> Layout {
        let lanes = self.lanes.clamp(1, 65_535) + 1;
        let mut block_size = self
            .block_size
            .clamp(BLOCK_MIN, BLOCK_MAX)
            .next_power_of_two();
        loop {
            let layout = Layout::new(text, lanes, block_size);
            if block_size == BLOCK_MIN || layout.blocks_within(limit) >= 16 {
                return layout;
            }
            block_size /= 2;
        }
    }
}
