//! A part of a run.

use weft_trace::time::Timestamp;

/// A window of time on the base clock. Its end does not belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Where it begins.
    pub from: Timestamp,
    /// Where it ends.
    pub to: Timestamp,
}

impl Window {
    /// Whether a time is within.
    pub fn holds(&self, time: Timestamp) -> bool {
        self.from <= time && time < self.to
    }
}
