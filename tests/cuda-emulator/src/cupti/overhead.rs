//! Records of time that CUPTI or the driver took in addition to the work of the program.

use super::clock;
use super::layout::Record;
use super::session::{Session, kind};

/// `CUpti_ActivityOverheadKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overhead {
    DriverCompiler = 1,
    BufferFlush = 1 << 16,
    LazyFunctionLoading = 5 << 16,
}

/// `CUPTI_ACTIVITY_OBJECT_THREAD`.
const THREAD: u32 = 2;

/// Makes the record of an overhead of the calling thread that ends now. A correlation id of 0 means
/// that it belongs to no call.
pub(super) fn record(session: &Session, of: Overhead, start: u64, correlation: u32) -> Vec<u8> {
    Record::new(kind::OVERHEAD, session.version())
        .all_u32(4, [of as u32, THREAD, std::process::id(), session.thread()])
        .u64(24, start)
        .u64(32, clock::now())
        .u32(40, correlation)
        .done()
}
