//! Progress of long work.

use std::fmt;
use std::sync::Arc;

/// A receiver of progress events, such as a progress bar.
pub trait Watch: Send + Sync {
    /// Begins a step with a name and a number of units, 0 if unknown.
    fn begin(&self, what: &str, units: u64);
    /// Reports that more units of the step are done.
    fn advance(&self, units: u64);
}

/// The number of rows between two reports.
const STRIDE: usize = 1 << 14;

/// The receiver of progress events, if any.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Watch>>);

impl Progress {
    /// Reports to `watch`.
    pub fn to(watch: Arc<dyn Watch>) -> Self {
        Progress(Some(watch))
    }

    /// Begins a step.
    pub fn begin(&self, what: &str, units: u64) {
        if let Some(watch) = &self.0 {
            watch.begin(what, units);
        }
    }

    /// Begins a step over these rows, and reports progress while they are iterated.
    pub fn over<I: ExactSizeIterator>(&self, what: &str, rows: I) -> impl Iterator<Item = I::Item> {
        self.begin(what, rows.len() as u64);
        rows.enumerate().map(|(row, item)| {
            if row % STRIDE == STRIDE - 1 {
                self.advance(STRIDE as u64);
            }
            item
        })
    }

    /// Reports that more units of the step are done. Call it for many units at once.
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
