//! NVTX ranges that Nsight Systems recorded.

use super::{SourceIndex, StringIndex};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// A row of [`Work::ranges`](crate::Work::ranges).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RangeIndex(pub u32);

/// How a range was opened and closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RangeKind {
    /// Pushed and popped on one thread: ranges of a thread nest.
    PushPop,
    /// Started and ended by its id, on any threads.
    StartEnd,
}

/// A range without a UID, and the task whose body it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeTask {
    /// The range.
    pub range: RangeIndex,
    /// Where the task was read.
    pub source: SourceIndex,
    /// The task's UID.
    pub task: Uid,
}

/// An NVTX range.
#[derive(Clone, Copy, Debug)]
pub struct RangeRow {
    /// Where it was read.
    pub source: SourceIndex,
    /// The row of NVTX_EVENTS in that source.
    pub row: i64,
    /// When it was opened.
    pub start: Timestamp,
    /// When it was closed; the end of the session where it never was.
    pub end: Timestamp,
    /// How it was opened and closed.
    pub kind: RangeKind,
    /// Whether it was never closed.
    pub open: bool,
    /// The thread that opened it, as Nsight Systems numbers them.
    pub thread: i64,
    /// The thread that closed it, where that is another one: it then stands for no thread's time.
    pub end_thread: Option<i64>,
    /// Its message.
    pub text: StringIndex,
    /// The name of its domain; empty for the default one.
    pub domain: StringIndex,
    /// Its colour (ARGB), where it has one.
    pub color: Option<u32>,
    /// Whether its domain is `weft`.
    pub weft: bool,
    /// The launch UID in its payload. Only in domain `weft`.
    pub launch: Option<Uid>,
}
