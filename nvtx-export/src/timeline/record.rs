//! A slice as it is spooled.

use super::slice::Slice;
use super::spool::spooled;

/// No time.
const NONE: i64 = i64::MIN;

spooled! {
    /// A slice of one lane.
    Record {
        start: i64,
        end: i64,
        created: i64,
        ready: i64,
        /// Which of the slices of all lanes, in the order in which they were handed over.
        number: u32,
        name: u32,
        line: u32,
        row: u32,
        what: u8,
        flags: u8,
    }
}

impl Record {
    pub(super) fn of(number: u32, slice: &Slice) -> Record {
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

    /// When it was asked for and when it could begin, where that is known.
    pub(super) fn states(&self) -> Option<(i64, i64)> {
        (self.created != NONE).then_some((self.created, self.ready))
    }
}
