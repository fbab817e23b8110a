//! NVTX ranges that Nsight Systems recorded.

use super::{SourceIndex, StringIndex};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// A row of [`Joined::ranges`](super::Joined::ranges).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RangeIndex(pub u32);

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
    /// The thread that opened it, as Nsight Systems numbers them.
    pub thread: i64,
    /// Whether it was closed on another thread: it then stands for no thread's time.
    pub crosses_threads: bool,
    /// Its message.
    pub text: StringIndex,
    /// Whether its domain is `weft`.
    pub weft: bool,
    /// The launch UID in its payload. Only in domain `weft`.
    pub launch: Option<Uid>,
}
