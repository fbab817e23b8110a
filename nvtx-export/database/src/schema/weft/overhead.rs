//! The table of overheads.

use crate::schema::{PrimaryKey, table};
use std::borrow::Cow;
use weft_model::{OverheadKind, Recorder, SourceIndex};
use weft_trace::time::Timestamp;

table! {
    /// Time that CUPTI, Nsight Systems or the driver took in addition to the work of the program.
    /// Overheads of a thread may lie within each other.
    WEFT_OVERHEAD => OverheadRow<'a> {
        id: PrimaryKey as id,
        source: SourceIndex as sourceId,
        /// The recorder.
        recorder: Recorder as source,
        kind: OverheadKind as kind,
        name: Cow<'a, str> as name,
        start: Timestamp as start,
        end: Timestamp as end,
        /// The thread. NULL: unknown.
        thread: Option<i64> as globalTid,
        /// The GPU. NULL: it concerns none.
        device: Option<i64> as deviceId,
        context: Option<i64> as contextId,
        stream: Option<i64> as streamId,
        /// CUPTI's id of the call in which it occurred. NULL: unknown.
        correlation: Option<i64> as correlationId,
    }
}
