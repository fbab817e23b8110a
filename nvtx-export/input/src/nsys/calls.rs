//! CUPTI_ACTIVITY_KIND_RUNTIME: calls of the CUDA runtime and driver.

use super::texts::{TextIds, Texts, at};
use crate::{ReadOptions, RequiredParts};
use rustc_hash::FxHashSet;
use weft_database::{Database, Room, integer};
use weft_model::{ApiCall, ExportError, Recording, SourceIndex, process_of};
use weft_trace::time::Timestamp;

/// Calls of a slice of rows. Names are indices into `texts`.
#[derive(Default)]
struct Calls {
    rows: Vec<ApiCall>,
    texts: TextIds,
}

impl Room for Calls {
    fn reserve(&mut self, rows: usize) {
        self.rows.reserve_exact(rows);
    }
}

/// Reads the calls. For costs, only those that started any of the work read before.
pub(super) fn read(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
    options: &ReadOptions,
) -> Result<(), ExportError> {
    let mut texts = Texts::open(database)?;
    let started = (options.keep == RequiredParts::Costs).then(|| started(recording, source));
    let columns = ["start", "end", "globalTid", "correlationId", "nameId"];
    let each = |slice: &mut Calls, row: &rusqlite::Row<'_>| {
        let (Some(start), Some(end)) = (integer(row, 0), integer(row, 1)) else {
            return false;
        };
        // A call without a thread or an id cannot be matched to work.
        let (Some(thread), Some(correlation)) = (integer(row, 2), integer(row, 3)) else {
            return true;
        };
        let id = (process_of(thread), correlation);
        if started
            .as_ref()
            .is_some_and(|started| !started.contains(&id))
        {
            return true;
        }
        slice.rows.push(ApiCall {
            source,
            name: slice.texts.add(integer(row, 4)),
            thread,
            correlation,
            start: Timestamp::from_nanos_since_session_start(start),
            end: Timestamp::from_nanos_since_session_start(end),
        });
        true
    };
    let table = "CUPTI_ACTIVITY_KIND_RUNTIME";
    let slices = database.each_slice(table, &columns, &options.progress, each)?;
    let count = slices.iter().map(|slice| slice.rows.len()).sum();
    recording.devices.calls.reserve_exact(count);
    for slice in slices {
        let names = slice.texts.look_up(&mut texts, &mut recording.strings);
        recording
            .devices
            .calls
            .extend(slice.rows.into_iter().map(|call| ApiCall {
                name: at(&names, call.name),
                ..call
            }));
    }
    Ok(())
}

/// Returns the processes and correlation ids of the work of a session.
fn started(recording: &Recording, source: SourceIndex) -> FxHashSet<(i64, i64)> {
    let kernels = recording
        .devices
        .kernels
        .iter()
        .filter(|kernel| kernel.source == source);
    kernels
        .filter_map(|kernel| kernel.process.zip(kernel.correlation))
        .collect()
}
