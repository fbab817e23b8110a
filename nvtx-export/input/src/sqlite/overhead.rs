//! WEFT_OVERHEAD.

use weft_database::Database;
use weft_database::schema::OverheadRow;
use weft_model::{ExportError, Overhead, Recording};

pub(super) fn read(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    OverheadRow::read(database, |row| {
        let name = recording.strings.intern(&row.name);
        recording.devices.overheads.push(Overhead {
            source: row.source,
            recorder: row.recorder,
            kind: row.kind,
            name,
            thread: row.thread,
            device: row.device,
            context: row.context,
            stream: row.stream,
            correlation: row.correlation,
            start: row.start,
            end: row.end,
        });
        true
    })
}
