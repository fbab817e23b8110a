//! The most that a file can hold. A reader that gets more is reading the same pages repeatedly.

use std::sync::atomic::{AtomicU64, Ordering};

/// The size of the smallest row in a page of SQLite: a cell pointer of 2 bytes and a cell of at
/// least 4. Source: <https://www.sqlite.org/fileformat2.html#b_tree_pages>.
const LEAST_ROW: u64 = 6;

/// How often the texts of a file may be read: once in each of a few passes over it.
const PASSES: u64 = 8;

/// The size of texts that is allowed for any file, in bytes.
const SPARE: u64 = 1 << 20;

/// Limits for a database of a given size.
#[derive(Debug)]
pub struct Budget {
    bytes: u64,
    texts: AtomicU64,
}

impl Budget {
    /// Creates the budget of a file of this many bytes.
    pub fn new(bytes: u64) -> Self {
        Budget {
            bytes,
            texts: AtomicU64::new(bytes.saturating_mul(PASSES).saturating_add(SPARE)),
        }
    }

    /// Returns the size of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the maximum number of rows of a table.
    pub fn rows(&self) -> u64 {
        self.bytes / LEAST_ROW + 1
    }

    /// Returns whether the file can hold another text of this many bytes.
    pub fn take(&self, bytes: usize) -> bool {
        let bytes = bytes as u64;
        let taken = self
            .texts
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(bytes)
            });
        taken.is_ok()
    }
}
