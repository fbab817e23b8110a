//! WEFT_SOURCE, WEFT_RANK, WEFT_LOSS, WEFT_META.

use super::integer;
use crate::joined::{Joined, LossRow, SourceIndex};
use crate::output::sqlite::schema;
use rusqlite::{Connection, params};

/// The counter of sessions whose own tables are not in the file.
const NOT_COPIED: &str = "nsys_tables_not_copied";

pub(super) fn write(
    joined: &Joined,
    connection: &Connection,
    copied: Option<SourceIndex>,
    losses: &[LossRow],
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare("INSERT INTO WEFT_SOURCE VALUES (?, ?, ?, ?, ?, ?)")?;
    let mut rank = connection.prepare("INSERT INTO WEFT_RANK VALUES (?, ?, ?, ?, ?, ?, ?)")?;
    for (index, source) in (0..).map(SourceIndex).zip(&joined.sources) {
        insert.execute(params![
            index.id(),
            source.path.to_string_lossy(),
            source.kind.name(),
            source.run_id,
            source.rank,
            source.host,
        ])?;
        if source.rank.is_some() {
            rank.execute(params![
                index.id(),
                source.rank,
                source.ranks,
                source.host,
                source.boot_id,
                source.pid,
                source.program,
            ])?;
        }
    }
    let mut insert = connection.prepare("INSERT INTO WEFT_LOSS VALUES (?, ?, ?, ?, ?)")?;
    for loss in joined.losses.iter().chain(losses) {
        insert.execute(params![
            loss.source.map(SourceIndex::id),
            loss.name,
            loss.severity.name(),
            integer(loss.value),
            loss.meaning,
        ])?;
    }
    let sessions = (0..).map(SourceIndex).zip(&joined.sources);
    for (index, source) in sessions {
        // A joined trace that was read back says so already.
        let said = |loss: &LossRow| loss.source == Some(index) && loss.name == NOT_COPIED;
        let elsewhere = source.database.is_some() && Some(index) != copied;
        if elsewhere && !joined.losses.iter().any(said) {
            let meaning = "databases whose own tables are not in this file, which has those of the first session; \
                           their kernels and ranges are in WEFT_KERNEL and WEFT_RANGE";
            insert.execute(params![index.id(), NOT_COPIED, "note", 1, meaning])?;
        }
    }
    let mut insert = connection.prepare("INSERT OR REPLACE INTO WEFT_META VALUES (?, ?)")?;
    insert.execute(params!["weft_schema", schema::VERSION])?;
    for (key, value) in joined.meta.iter() {
        insert.execute(params![key, value])?;
    }
    let events = match copied {
        Some(source) => format!("copied from source {}", source.id()),
        None => "made by Weft from its launches; Nsight Systems recorded nothing".to_owned(),
    };
    insert.execute(params!["nvtx_events", events])?;
    Ok(())
}
