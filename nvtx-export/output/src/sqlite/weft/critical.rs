//! WEFT_CRITICAL_PATH.

use super::provenance;
use rusqlite::Connection;
use weft_critical::path;
use weft_database::schema::{CriticalRow, PrimaryKey, write_rows};
use weft_model::{Index, Progress, Trace};
use weft_trace::time::Nanos;

pub(super) fn write(
    trace: &Trace,
    index: &Index,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<()> {
    progress.begin("finding the critical path", 0);
    let steps = (1_i64..).zip(path(trace));
    let rows = steps.map(|(number, step)| {
        let source = trace.sources.get(step.source.0 as usize);
        let row = step
            .operation
            .and_then(|uid| index.operation(step.source, uid));
        let operation = row.and_then(|row| trace.program.operations.get(row));
        CriticalRow {
            step: PrimaryKey(number),
            source: step.source,
            rank: source.and_then(|source| source.rank),
            kind: step.kind,
            uid: step.uid,
            operation: step.operation,
            processor: step.processor,
            start: step.start,
            end: step.end,
            part: Nanos(step.part),
            provenance: operation.and_then(|operation| provenance(operation.provenance)),
        }
    });
    write_rows(connection, rows)
}
