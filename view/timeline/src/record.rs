//! A slice as it is spooled.

use super::bins::Entry;
use super::slice::{Flags, Slice};
use super::sorted::Keyed;
use super::spool::spooled;
use std::cmp::Reverse;

/// The latest time that a JavaScript number holds exactly.
const LATEST: i128 = 1 << 53;

/// No time.
const NONE: i64 = i64::MIN;

spooled! {
    /// A slice of one lane.
    Record {
        start: i64,
        end: i64,
        created: i64,
        ready: i64,
        /// The number among the slices of all lanes, in the order in which they were added.
        number: u32,
        name: u32,
        line: u32,
        row: u32,
        what: u8,
        flags: u8,
    }
}

/// Nanoseconds since `zero`.
pub(super) fn relative(at: i64, zero: i64) -> i64 {
    (i128::from(at) - i128::from(zero)).clamp(0, LATEST) as i64
}

/// Records are ordered by start; of those that start together the longer is first.
impl Keyed for Record {
    type Key = (i64, Reverse<i64>, u8, u32);

    fn key(&self) -> Self::Key {
        (self.start, Reverse(self.end), self.what, self.number)
    }
}

spooled! {
    /// The slice of a row.
    Numbered { number: u32, item: u32 }
}

spooled! {
    /// A value that does not fit its column.
    Escape { item: u32, column: u32, value: u64 }
}

impl Record {
    pub(super) fn from_slice(number: u32, slice: &Slice) -> Record {
        let (created, ready) = slice.states.unwrap_or((NONE, NONE));
        Record {
            start: slice.start,
            end: slice.end.max(slice.start),
            created,
            ready,
            number,
            name: slice.name,
            line: slice.line,
            row: slice.row,
            what: slice.what as u8,
            flags: slice.flags.0,
        }
    }

    /// Makes the times relative to `zero`, as in the file.
    pub(super) fn relative_to(mut self, zero: i64) -> Record {
        self.start = relative(self.start, zero);
        self.end = relative(self.end, zero);
        if self.created != NONE {
            self.created = relative(self.created, zero).min(self.start);
            self.ready = relative(self.ready, zero).clamp(self.created, self.start);
        }
        self
    }

    /// Returns when it was created, ready and started, if known.
    pub(super) fn states(&self) -> Option<(u64, u64, u64)> {
        let states = (self.created, self.ready, self.start);
        let wide = i64::cast_unsigned;
        (self.created != NONE).then_some((wide(states.0), wide(states.1), wide(states.2)))
    }

    /// Returns the values that bins need.
    pub(super) fn entry(&self, item: u32) -> Entry {
        Entry {
            item,
            start: self.start.cast_unsigned(),
            end: self.end.cast_unsigned(),
            line: self.line,
            flags: Flags(self.flags),
        }
    }
}
