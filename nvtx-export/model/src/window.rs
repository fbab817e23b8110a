//! A part of a run.

use weft_trace::time::Timestamp;

/// A half-open window of time on the base clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The start, included.
    pub from: Timestamp,
    /// The end, excluded.
    pub to: Timestamp,
}

impl Window {
    /// Returns whether a time is within the window.
    pub fn holds(&self, time: Timestamp) -> bool {
        self.from <= time && time < self.to
    }
}
