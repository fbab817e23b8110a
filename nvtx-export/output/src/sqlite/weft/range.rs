//! WEFT_RANGE: the ranges of sessions whose NVTX_EVENTS are not in the file.

use rusqlite::{Connection, OptionalExtension};
use weft_database::schema::{PrimaryKey, RangeRow, write_rows};
use weft_model as trace;
use weft_model::{Progress, RangeIndex, SourceIndex, Trace};

/// The rows of ranges in the file.
pub(super) struct Ids {
    copied: Option<SourceIndex>,
    first: i64,
}

impl Ids {
    /// Returns the row of a range: in NVTX_EVENTS if its session was copied, otherwise in
    /// WEFT_RANGE.
    pub(super) fn row_id(&self, trace: &Trace, range: RangeIndex) -> Option<i64> {
        let row = trace.work.ranges.get(range.0 as usize)?;
        Some(if Some(row.source) == self.copied {
            row.row
        } else {
            self.first + i64::from(range.0)
        })
    }
}

/// Writes the ranges of all sessions except `copied`.
pub(super) fn write(
    trace: &Trace,
    connection: &Connection,
    copied: Option<SourceIndex>,
    progress: &Progress,
) -> rusqlite::Result<Ids> {
    let events = "SELECT 1 FROM main.sqlite_master WHERE name = 'NVTX_EVENTS' AND type = 'table'";
    let events = connection.query_row(events, [], |_| Ok(())).optional()?;
    let last: i64 = match events {
        Some(()) => connection.query_row(
            "SELECT ifnull(max(rowid), 0) FROM main.NVTX_EVENTS",
            [],
            |row| row.get(0),
        )?,
        None => 0,
    };
    let ids = Ids {
        copied,
        first: last.saturating_add(1),
    };
    let is_other = |range: &trace::RangeRow| Some(range.source) != copied;
    if !trace.work.ranges.iter().any(is_other) {
        return Ok(ids);
    }
    let text = |index| trace.strings.get(index);
    let ranges = progress.over("writing ranges", trace.work.ranges.iter());
    let ranges = (0..).map(RangeIndex).zip(ranges);
    let others = ranges.filter(|(_, range)| is_other(range));
    let rows = others.map(|(index, range)| RangeRow {
        id: PrimaryKey(ids.first + i64::from(index.0)),
        source: range.source,
        row: range.row,
        kind: range.kind,
        start: range.start,
        end: range.end,
        closed: !range.open,
        thread: range.thread,
        end_thread: range.end_thread,
        domain: text(range.domain).into(),
        message: text(range.text).into(),
        color: range.color,
        launch: range.launch,
    });
    write_rows(connection, rows)?;
    Ok(ids)
}
