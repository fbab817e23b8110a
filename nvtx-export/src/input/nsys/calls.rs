//! CUPTI_ACTIVITY_KIND_RUNTIME: calls of the CUDA runtime and driver.

use super::database::{Database, integer};
use super::texts::Texts;
use crate::error::ExportError;
use crate::joined::{ApiCall, Joined, SourceIndex};
use weft_trace::time::Timestamp;

pub(super) fn read(
    joined: &mut Joined,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let mut texts = Texts::of(database)?;
    let columns = ["start", "end", "globalTid", "correlationId", "nameId"];
    database.each_row("CUPTI_ACTIVITY_KIND_RUNTIME", &columns, |row| {
        let (Some(start), Some(end)) = (integer(row, 0), integer(row, 1)) else {
            return false;
        };
        // A call without a thread or an id starts nothing that could be told.
        if let (Some(thread), Some(correlation)) = (integer(row, 2), integer(row, 3)) {
            let name = integer(row, 4)
                .map_or_else(Default::default, |id| texts.get(id, &mut joined.strings));
            joined.calls.push(ApiCall {
                source,
                name,
                thread,
                correlation,
                start: Timestamp::from_nanos_since_session_start(start),
                end: Timestamp::from_nanos_since_session_start(end),
            });
        }
        true
    })
}
