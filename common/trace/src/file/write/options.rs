//! How large a file may grow, and in what steps.

use crate::file::layout::{BLOCK_MAX, BLOCK_MIN, Layout};

/// How a [`ProfWriter`](crate::file::ProfWriter) writes. Values out of range are moved into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// Bytes the file may grow to. Records after that are dropped and counted. 8 GiB.
    pub limit: u64,
    /// Threads that can write at the same time; further ones drop their records and count them. 1 to 65,535; 512.
    pub lanes: u32,
    /// Bytes of a block, a power of two from 4 KiB to 16 MiB; 256 KiB. Smaller ones are used where the limit would
    /// not hold 16. A record has to fit into one.
    pub block_size: u32,
    /// Bytes reserved ahead of need, at first; more, up to eight times that, where they run low. 32 MiB.
    pub ahead: u64,
    /// Whether a file that exists is replaced; otherwise it is an error. `false`.
    pub replace: bool,
}

impl WriterOptions {
    /// The defaults, with a file of at most `limit` bytes.
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
    /// The layout of a file with `text` bytes of text in its head that may grow to `limit` bytes.
    /// One lane more than asked for: lane 0 counts for the threads that found none free.
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
