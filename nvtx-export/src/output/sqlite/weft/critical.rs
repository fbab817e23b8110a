//! WEFT_CRITICAL_PATH.

use super::{integer, provenance};
use crate::critical::path;
use crate::joined::{Index, Joined};
use crate::progress::Progress;
use rusqlite::{Connection, params};

pub(super) fn write(
    joined: &Joined,
    index: &Index,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<()> {
    progress.begin("finding the critical path", 0);
    let mut insert = connection
        .prepare("INSERT INTO WEFT_CRITICAL_PATH VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for (number, step) in (1_i64..).zip(path(joined)) {
        let source = joined.sources.get(step.source.0 as usize);
        let row = step
            .operation
            .and_then(|uid| index.operation(step.source, uid));
        let operation = row.and_then(|row| joined.operations.get(row));
        insert.execute(params![
            number,
            step.source.id(),
            source.and_then(|source| source.rank),
            step.kind.name(),
            step.uid.map(|uid| integer(uid.raw())),
            step.operation.map(|uid| integer(uid.raw())),
            step.processor.map(|processor| processor.0),
            step.start.nanos(),
            step.end.nanos(),
            step.part,
            operation.and_then(|operation| provenance(operation.provenance)),
        ])?;
    }
    Ok(())
}
