//! Calls of the CUDA runtime and driver.

use super::{SourceIndex, StringIndex};
use weft_trace::time::Timestamp;

/// An API call that may have started work on a device.
#[derive(Clone, Copy, Debug)]
pub struct ApiCall {
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its name.
    pub name: StringIndex,
    /// The calling thread, as numbered by Nsight Systems.
    pub thread: i64,
    /// CUPTI's correlation id, unique within the process.
    pub correlation: i64,
    /// The start of the call.
    pub start: Timestamp,
    /// The time at which it returned.
    pub end: Timestamp,
}

/// Returns the process of a thread, both as numbered by Nsight Systems: hardware, virtual machine
/// and process id.
pub const fn process_of(thread: i64) -> i64 {
    thread & !0xff_ffff
}

/// Returns a thread of a process on this machine, as numbered by Nsight Systems. Thread 0 stands
/// for the process itself.
pub const fn thread_of(pid: u32, thread: u32) -> i64 {
    (1 << 48) | ((pid as i64 & 0xff_ffff) << 24) | (thread as i64 & 0xff_ffff)
}
