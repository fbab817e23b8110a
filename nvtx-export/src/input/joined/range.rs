//! WEFT_RANGE, and where the rows of all ranges stand.

use super::{integer, small, source, text, time, uid};
use crate::error::ExportError;
use crate::input::nsys::Database;
use crate::joined::{Joined, RangeIndex, RangeKind, RangeRow};
use rustc_hash::FxHashMap;

/// Appends the ranges of sessions that were not copied, and gives the range of every row that WEFT_KERNEL_RANGE names.
/// The ranges of NVTX_EVENTS have been read.
pub(super) fn read(
    joined: &mut Joined,
    database: &Database,
) -> Result<FxHashMap<i64, RangeIndex>, ExportError> {
    let rows = (0..).map(RangeIndex).zip(&joined.ranges);
    let mut ids: FxHashMap<i64, RangeIndex> =
        rows.map(|(index, range)| (range.row, index)).collect();
    let columns = [
        "id",
        "sourceId",
        "nvtxRowId",
        "style",
        "start",
        "end",
        "closed",
        "globalTid",
        "endGlobalTid",
        "domain",
        "message",
        "color",
        "launchUid",
    ];
    database.each_row("WEFT_RANGE", &columns, |row| {
        let kind = match text(row, 3) {
            Some("StartEnd") => RangeKind::StartEnd,
            _ => RangeKind::PushPop,
        };
        let (Some(id), Some(source), Some(start), Some(end), Some(thread)) = (
            integer(row, 0),
            source(row, 1),
            time(row, 4),
            time(row, 5),
            integer(row, 7),
        ) else {
            return false;
        };
        let domain = text(row, 9).unwrap_or_default();
        ids.insert(id, RangeIndex(joined.ranges.len() as u32));
        joined.ranges.push(RangeRow {
            source,
            row: integer(row, 2).unwrap_or_default(),
            start,
            end,
            kind,
            open: integer(row, 6) == Some(0),
            thread,
            end_thread: integer(row, 8),
            text: joined.strings.intern(text(row, 10).unwrap_or_default()),
            domain: joined.strings.intern(domain),
            color: small(row, 11),
            weft: domain == "weft",
            launch: uid(row, 12),
        });
        true
    })?;
    Ok(ids)
}
