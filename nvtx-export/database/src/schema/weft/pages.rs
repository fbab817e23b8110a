//! The table of faults and moves of pages of unified memory.

use crate::schema::{Bytes, Count, PrimaryKey, table};
use weft_model::{NoPageKernel, PageEventKind, Recorder, SourceIndex};
use weft_trace::time::Timestamp;

table! {
    /// Faults and moves of pages of unified memory. An event of a GPU belongs to the kernel that
    /// ran on it when the event began, if exactly one ran.
    WEFT_PAGE_EVENT => PageEventRow {
        id: PrimaryKey as id,
        source: SourceIndex as sourceId,
        /// The recorder.
        recorder: Recorder as source,
        kind: PageEventKind as kind,
        /// CUPTI's number of the kind.
        counter: u32 as counterKind,
        start: Timestamp as start,
        end: Timestamp as end,
        /// The address of the first page.
        address: i64 as address,
        /// The number of faults of a GPU. NULL: the event is none.
        faults: Option<Count> as faults,
        /// The bytes moved. NULL: the event is a fault or another event without a move.
        moved: Option<Bytes> as movedBytes,
        /// CUPTI's value, whose meaning depends on the kind.
        value: i64 as value,
        /// The GPU that had the pages, or that faulted. NULL: the host.
        from_device: Option<u32> as fromDeviceId,
        /// The GPU that gets the pages. NULL: the host.
        to_device: Option<u32> as toDeviceId,
        /// For a fault the access, in ENUM_CUDA_UNIF_MEM_ACCESS_TYPE; for a move the cause: 1 a
        /// prefetch of the program, 2 a fault, 3 a prefetch of the driver, 4 an eviction.
        flags: u32 as flags,
        /// The kernel, in WEFT_KERNEL.
        kernel: Option<i64> as kernelId,
        /// The reason why it has no kernel.
        reason: Option<NoPageKernel> as reason,
    }
}
