//! The drawn part of time.

use std::ops::Range;

/// Room for the labels of lanes.
pub(super) const LEFT: f64 = 150.0;
/// Room at the right edge.
pub(super) const RIGHT: f64 = 16.0;

/// The drawn part of time, and its width.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) shown: Range<u64>,
    pub(super) width: f64,
}

impl Frame {
    pub(super) fn new(width: u32, shown: Range<u64>) -> Self {
        let end = shown.end.max(shown.start + 1);
        Frame {
            shown: shown.start..end,
            width: f64::from(width),
        }
    }

    /// Pixels of time.
    pub(super) fn columns(&self) -> u32 {
        (self.width - LEFT - RIGHT).max(1.0) as u32
    }

    /// Returns the place of a time, in pixels from the left edge of the lanes.
    pub(super) fn column(&self, time: u64) -> f64 {
        let span = (self.shown.end - self.shown.start) as f64;
        let since = time.saturating_sub(self.shown.start) as f64;
        (since / span).min(1.0) * f64::from(self.columns())
    }
}
