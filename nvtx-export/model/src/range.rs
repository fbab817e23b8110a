//! NVTX ranges that Nsight Systems recorded.

use super::{SourceIndex, StringIndex};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// A row of [`Work::ranges`](crate::Work::ranges).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RangeIndex(pub u32);

/// The way a range was opened and closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RangeKind {
    /// Pushed and popped on one thread. Ranges of a thread nest.
    PushPop,
    /// Started and ended by its id, on any threads.
    StartEnd,
}

/// A range without a UID, and the task whose body it encloses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeTask {
    /// The range.
    pub range: RangeIndex,
    /// The file that the task was read from.
    pub source: SourceIndex,
    /// The task's UID.
    pub task: Uid,
}

/// An NVTX range.
#[derive(Clone, Copy, Debug)]
pub struct RangeRow {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The row of NVTX_EVENTS in that source.
    pub row: i64,
    /// The time at which it was opened.
    pub start: Timestamp,
    /// The time at which it was closed, or the end of the session if it never was.
    pub end: Timestamp,
    /// The way it was opened and closed.
    pub kind: RangeKind,
    /// Whether it was never closed.
    pub open: bool,
    /// The thread that opened it, as numbered by Nsight Systems.
    pub thread: i64,
    /// The thread that closed it, if another one. Such a range does not represent the time of a
    /// thread.
    pub end_thread: Option<i64>,
    /// Its message.
    pub text: StringIndex,
    /// The name of its domain; empty for the default one.
    pub domain: StringIndex,
    /// Its colour (ARGB), if it has one.
    pub color: Option<u32>,
    /// Whether its domain is `weft`.
    pub weft: bool,
    /// The launch UID in its payload. Only in domain `weft`.
    pub launch: Option<Uid>,
}
