//! Recordings of Nsight Systems.

use super::{SourceIndex, Spans, StringIndex};
use weft_trace::time::Timestamp;

/// A recording of Nsight Systems, one per database.
#[derive(Debug)]
pub struct Session {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The end of the recording. If the database does not store it, the latest time read; `None` if
    /// there is no time.
    pub end: Option<Timestamp>,
    /// The GPUs of the machine.
    pub gpus: Vec<Gpu>,
    /// Ranges and the calls that started work, if only ranges were requested.
    pub spans: Option<Box<Spans>>,
}

/// A GPU of the machine that a session recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// The number by which kernels refer to it, unique within the session.
    pub id: i64,
    /// Its name.
    pub name: StringIndex,
    /// Its UUID.
    pub uuid: StringIndex,
    /// Its memory in bytes, if the database states it.
    pub memory: Option<u64>,
    /// The number of multiprocessors, if the database states it.
    pub multiprocessors: Option<u32>,
}
