//! WEFT_RANGE, and the rows of all ranges in the database.

use rustc_hash::FxHashMap;
use weft_database::Database;
use weft_database::schema::RangeRow;
use weft_model as recording;
use weft_model::{ExportError, RangeIndex, Recording};

/// Appends the ranges of sessions that were not copied, and returns the range of each row that
/// WEFT_KERNEL_RANGE refers to. The ranges of NVTX_EVENTS must have been read before.
pub(super) fn read(
    recording: &mut Recording,
    database: &Database,
) -> Result<FxHashMap<i64, RangeIndex>, ExportError> {
    let rows = (0..).map(RangeIndex).zip(&recording.work.ranges);
    let mut ids: FxHashMap<i64, RangeIndex> =
        rows.map(|(index, range)| (range.row, index)).collect();
    RangeRow::read(database, |row| {
        let index = RangeIndex(recording.work.ranges.len() as u32);
        let is_row = recording.work.ranges.try_push(recording::RangeRow {
            source: row.source,
            row: row.row,
            start: row.start,
            end: row.end,
            kind: row.kind,
            open: !row.closed,
            thread: row.thread,
            end_thread: row.end_thread,
            text: recording.strings.intern(&row.message),
            domain: recording.strings.intern(&row.domain),
            color: row.color,
            weft: row.domain == "weft",
            launch: row.launch,
        });
        if is_row {
            ids.insert(row.id.0, index);
        }
        true
    })?;
    Ok(ids)
}
