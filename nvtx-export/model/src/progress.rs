//! Progress of long work.

use std::fmt;
use std::sync::Arc;

/// Receives progress events, such as a progress bar.
pub trait Watch: Send + Sync {
    /// A step begins: its name and its number of units; 0 if unknown.
    fn begin(&self, what: &str, units: u64);
    /// More units of the step are done.
    fn advance(&self, units: u64);
}

/// Rows between two words to whoever watches.
const STRIDE: usize = 1 << 14;

/// Whoever watches, if anyone.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Watch>>);

impl Progress {
    /// Shown to `watch`.
    pub fn to(watch: Arc<dyn Watch>) -> Self {
        Progress(Some(watch))
    }

    /// A step begins.
    pub fn begin(&self, what: &str, units: u64) {
        if let Some(watch) = &self.0 {
            watch.begin(what, units);
        }
    }

    /// A step that is to go over these rows, which it tells of while it does.
    pub fn over<I: ExactSizeIterator>(&self, what: &str, rows: I) -> impl Iterator<Item = I::Item> {
        self.begin(what, rows.len() as u64);
        rows.enumerate().map(|(row, item)| {
            if row % STRIDE == STRIDE - 1 {
                self.advance(STRIDE as u64);
            }
            item
        })
    }

    /// More units of the step are done. Call it for many units at once.
    pub fn advance(&self, units: u64) {
        if let Some(watch) = &self.0 {
            watch.advance(units);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "watched"
        } else {
            "unwatched"
        })
    }
}
