//! WEFT_OVERHEAD: time that the recorders and the driver took.

use rusqlite::Connection;
use weft_database::schema::{OverheadRow, PrimaryKey, write_rows};
use weft_model::Trace;

pub(super) fn write(trace: &Trace, connection: &Connection) -> rusqlite::Result<()> {
    let rows = (1_i64..).zip(&trace.devices.overheads);
    let rows = rows.map(|(id, row)| OverheadRow {
        id: PrimaryKey(id),
        source: row.source,
        recorder: row.recorder,
        kind: row.kind,
        name: trace.strings.get(row.name).into(),
        start: row.start,
        end: row.end,
        thread: row.thread,
        device: row.device,
        context: row.context,
        stream: row.stream,
        correlation: row.correlation,
    });
    write_rows(connection, rows)
}
