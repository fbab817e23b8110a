//! Ranges by the thread they stand on.

use super::enclosing::Enclosing;
use crate::joined::{RangeIndex, RangeRow, SourceIndex};
use rustc_hash::FxHashMap;
use weft_trace::time::Timestamp;

type Intervals = Vec<(i64, i64, RangeIndex)>;

/// The ranges of each thread of each session: all of them, and those that carry a UID.
pub(super) struct Threads {
    all: FxHashMap<(SourceIndex, i64), Enclosing<RangeIndex>>,
    with_uid: FxHashMap<(SourceIndex, i64), Enclosing<RangeIndex>>,
}

impl Threads {
    /// Of these ranges. One that was closed on another thread stands for no thread's time and is left out.
    pub(super) fn of(ranges: &[RangeRow]) -> Self {
        let mut all: FxHashMap<_, Intervals> = FxHashMap::default();
        let mut with_uid: FxHashMap<_, Intervals> = FxHashMap::default();
        for (row, range) in ranges.iter().enumerate() {
            if range.end_thread.is_some() {
                continue;
            }
            let key = (range.source, range.thread);
            let interval = (
                range.start.nanos(),
                range.end.nanos(),
                RangeIndex(row as u32),
            );
            all.entry(key).or_default().push(interval);
            if range.launch.is_some() {
                with_uid.entry(key).or_default().push(interval);
            }
        }
        let index = |threads: FxHashMap<_, Intervals>| {
            let threads = threads.into_iter();
            threads
                .map(|(key, intervals)| (key, Enclosing::new(intervals)))
                .collect()
        };
        Threads {
            all: index(all),
            with_uid: index(with_uid),
        }
    }

    /// The innermost range of this thread around an interval.
    pub(super) fn innermost(
        &self,
        session: SourceIndex,
        thread: i64,
        start: Timestamp,
        end: Timestamp,
    ) -> Option<RangeIndex> {
        let ranges = self.all.get(&(session, thread))?;
        ranges.innermost(start.nanos(), end.nanos())
    }

    /// The innermost UID-carrying range of this thread around an interval.
    pub(super) fn innermost_with_uid(
        &self,
        session: SourceIndex,
        thread: i64,
        start: Timestamp,
        end: Timestamp,
    ) -> Option<RangeIndex> {
        let ranges = self.with_uid.get(&(session, thread))?;
        ranges.innermost(start.nanos(), end.nanos())
    }
}
