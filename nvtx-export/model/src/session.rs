//! Recordings of Nsight Systems.

use super::{SourceIndex, Spans, StringIndex};
use weft_trace::time::Timestamp;

/// A recording of Nsight Systems: one for each database.
#[derive(Debug)]
pub struct Session {
    /// Where it was read.
    pub source: SourceIndex,
    /// When the recording ended; the latest time read where the database does not say, `None` where there is none.
    pub end: Option<Timestamp>,
    /// The GPUs of the machine.
    pub gpus: Vec<Gpu>,
    /// Ranges and the calls that started work, where only ranges were asked for.
    pub spans: Option<Box<Spans>>,
}

/// A GPU of the machine that a session recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// The number by which kernels name it, one for each GPU of the session.
    pub id: i64,
    /// Its name.
    pub name: StringIndex,
    /// Its UUID.
    pub uuid: StringIndex,
    /// Bytes of memory; `None` where the database does not say.
    pub memory: Option<u64>,
    /// Number of multiprocessors; `None` where the database does not say.
    pub multiprocessors: Option<u32>,
}
