//! How much a file can hold: what reads more than that out of it reads the same pages again and again.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the smallest row in a page of SQLite: a cell pointer of 2 and a cell of at least 4.
/// Source: <https://www.sqlite.org/fileformat2.html#b_tree_pages>.
const LEAST_ROW: u64 = 6;

/// How often the texts of a file may be read: once for each pass over it, of which there are a few.
const PASSES: u64 = 8;

/// Bytes of texts that any file may give.
const SPARE: u64 = 1 << 20;

/// What a database of a given size can hold.
#[derive(Debug)]
pub struct Budget {
    bytes: u64,
    texts: AtomicU64,
}

impl Budget {
    /// For a file of this many bytes.
    pub fn of(bytes: u64) -> Self {
        Budget {
            bytes,
            texts: AtomicU64::new(bytes.saturating_mul(PASSES).saturating_add(SPARE)),
        }
    }

    /// Returns the size of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the most rows that a table of it can have.
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
