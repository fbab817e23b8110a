//! The rows of Weft's own tables.

mod critical;
mod data;
mod facts;
mod kernel;
mod overhead;
mod pages;
mod program;
mod range;
mod work;

use super::made;
use rusqlite::Connection;
use weft_database::schema::WEFT_TABLES;
use weft_model::{Index, LossRow, Progress, ProvenanceIndex, SourceIndex, Trace};

/// Creates and fills the tables. `copied` is the session whose NVTX_EVENTS were copied, `rows` are
/// derived ones, `losses` are those of copying.
pub(super) fn write(
    trace: &Trace,
    connection: &Connection,
    copied: Option<SourceIndex>,
    rows: &made::Rows,
    losses: &[LossRow],
    progress: &Progress,
) -> rusqlite::Result<()> {
    for table in WEFT_TABLES {
        connection.execute_batch(&table.create())?;
    }
    let index = Index::new(trace);
    program::write(trace, connection, progress)?;
    work::write(trace, &index, connection, progress)?;
    let ranges = range::write(trace, connection, copied, progress)?;
    kernel::write(trace, &index, connection, &ranges, rows, progress)?;
    pages::write(trace, connection)?;
    overhead::write(trace, connection)?;
    data::write(trace, connection, progress)?;
    critical::write(trace, &index, connection, progress)?;
    facts::write(trace, connection, copied, losses)
}

/// Returns a provenance as a column; `None` if unknown.
fn provenance(index: ProvenanceIndex) -> Option<u32> {
    (index.0 != 0).then_some(index.0)
}
