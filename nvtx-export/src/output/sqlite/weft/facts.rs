//! WEFT_SOURCE, WEFT_RANK, WEFT_LOSS, WEFT_META.

use super::integer;
use crate::joined::{Joined, SourceIndex};
use crate::output::sqlite::schema;
use rusqlite::{Connection, params};

pub(super) fn write(
    joined: &Joined,
    connection: &Connection,
    copied: Option<SourceIndex>,
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
    for loss in &joined.losses {
        insert.execute(params![
            loss.source.map(SourceIndex::id),
            loss.name,
            loss.severity.name(),
            integer(loss.value),
            loss.meaning,
        ])?;
    }
    let sessions = (0..).map(SourceIndex).zip(&joined.sources);
    for (index, _) in
        sessions.filter(|(index, source)| source.database.is_some() && Some(*index) != copied)
    {
        let meaning =
            "databases whose own tables are not copied: only those of the first session are";
        insert.execute(params![
            index.id(),
            "nsys_tables_not_copied",
            "note",
            1,
            meaning
        ])?;
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
