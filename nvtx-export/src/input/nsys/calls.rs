//! CUPTI_ACTIVITY_KIND_RUNTIME: calls of the CUDA runtime and driver.

use super::database::{Database, integer};
use crate::error::ExportError;
use crate::joined::{Joined, SourceIndex};
use weft_trace::time::Timestamp;

/// An API call that may have started work on a device.
#[derive(Clone, Copy, Debug)]
pub struct ApiCall {
    /// Where it was read.
    pub source: SourceIndex,
    /// The calling thread, as Nsight Systems numbers them.
    pub thread: i64,
    /// CUPTI's correlation id, unique within the process.
    pub correlation: i64,
    /// When it began.
    pub start: Timestamp,
    /// When it returned.
    pub end: Timestamp,
}

/// The process of a thread, as Nsight Systems numbers both: hardware, virtual machine and process id.
pub const fn process_of(thread: i64) -> i64 {
    thread & !0xff_ffff
}

pub(super) fn read(
    _joined: &mut Joined,
    calls: &mut Vec<ApiCall>,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let columns = ["start", "end", "globalTid", "correlationId"];
    database.each_row("CUPTI_ACTIVITY_KIND_RUNTIME", &columns, |row| {
        let (Some(start), Some(end)) = (integer(row, 0), integer(row, 1)) else {
            return false;
        };
        // A call without a thread or an id starts nothing that could be told.
        if let (Some(thread), Some(correlation)) = (integer(row, 2), integer(row, 3)) {
            calls.push(ApiCall {
                source,
                thread,
                correlation,
                start: Timestamp::from_nanos_since_session_start(start),
                end: Timestamp::from_nanos_since_session_start(end),
            });
        }
        true
    })
}
