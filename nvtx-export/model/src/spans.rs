//! The columns of a session that the projection of ranges needs.

use super::{StringIndex, Strings};
use rustc_hash::FxHashMap;
use weft_trace::time::Timestamp;

/// Ranges that were closed by the thread that opened them, and calls that started work. Times are
/// in ns on the clock of the trace.
#[derive(Debug, Default)]
pub struct Spans {
    /// The threads, as numbered by Nsight Systems. Columns hold indices into this table.
    pub threads: Threads,
    /// The names of ranges, with their domain before a colon.
    pub names: Strings,
    /// The ranges.
    pub ranges: RangeColumns,
    /// The calls that started work.
    pub calls: CallColumns,
    /// The work that the calls started.
    pub started: StartedColumns,
    /// The number of kernels, memcpys and memsets.
    pub operations: u64,
    /// The number of those that no recorded call started.
    pub without_call: u64,
    /// The number of ranges that one thread opened and another closed, which are not among
    /// `ranges`.
    pub across_threads: u64,
}

impl Spans {
    /// Converts every time by `to`.
    pub fn convert(&mut self, to: impl Fn(Timestamp) -> Timestamp) {
        let columns = [
            &mut self.ranges.start,
            &mut self.ranges.end,
            &mut self.calls.start,
            &mut self.calls.end,
            &mut self.started.first,
            &mut self.started.last,
        ];
        for time in columns.into_iter().flatten() {
            *time = to(Timestamp::from_nanos_since_session_start(*time)).nanos();
        }
    }
}

/// Threads, each with an index.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    ids: Vec<i64>,
    index: FxHashMap<i64, u32>,
}

impl Threads {
    /// Returns the index of a thread, which is added if it is new.
    pub fn add(&mut self, id: i64) -> u32 {
        *self.index.entry(id).or_insert_with(|| {
            self.ids.push(id);
            self.ids.len() as u32 - 1
        })
    }

    /// Returns the threads in the order of their indices.
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }
}

/// Columns of ranges, all of equal length.
#[derive(Debug, Default)]
pub struct RangeColumns {
    /// Rows of NVTX_EVENTS.
    pub id: Vec<i64>,
    /// Index of the thread.
    pub thread: Vec<u32>,
    /// The times at which they were opened.
    pub start: Vec<i64>,
    /// The times at which they were closed.
    pub end: Vec<i64>,
    /// The names of the ranges, interned in [`Spans::names`].
    pub name: Vec<StringIndex>,
    /// Whether a range was pushed and popped, as opposed to started and ended.
    pub pushed: Vec<bool>,
}

/// Columns of calls, all of equal length.
#[derive(Debug, Default)]
pub struct CallColumns {
    /// Index of the thread.
    pub thread: Vec<u32>,
    /// The times at which they began.
    pub start: Vec<i64>,
    /// The times at which they returned.
    pub end: Vec<i64>,
    /// The started work, a row of [`Spans::started`]. Several calls may share a row.
    pub started: Vec<u32>,
}

impl RangeColumns {
    /// Reserves space for more ranges.
    pub fn reserve(&mut self, ranges: usize) {
        self.id.reserve_exact(ranges);
        self.thread.reserve_exact(ranges);
        self.start.reserve_exact(ranges);
        self.end.reserve_exact(ranges);
        self.name.reserve_exact(ranges);
        self.pushed.reserve_exact(ranges);
    }
}

impl CallColumns {
    /// Reserves space for more calls.
    pub fn reserve(&mut self, calls: usize) {
        self.thread.reserve_exact(calls);
        self.start.reserve_exact(calls);
        self.end.reserve_exact(calls);
        self.started.reserve_exact(calls);
    }
}

/// Columns of work, one row for all work with the same correlation id and process.
#[derive(Debug, Default)]
pub struct StartedColumns {
    /// The earliest start of the row's work.
    pub first: Vec<i64>,
    /// The latest end of the row's work.
    pub last: Vec<i64>,
}
