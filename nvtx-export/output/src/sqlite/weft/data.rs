//! WEFT_STORE, WEFT_INSTANCE, WEFT_MEMORY_USE, WEFT_COPY, WEFT_MESSAGE, WEFT_PARTITIONING.

use super::provenance;
use rusqlite::Connection;
use weft_database::schema::{
    Bytes, CopyRow, Count, InstanceRow, MemoryUseRow, MessageRow, Numbers, PartitioningRow,
    StoreRow, write_rows,
};
use weft_model::{Progress, Trace};

pub(super) fn write(
    trace: &Trace,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<()> {
    let stores = progress.over("writing stores", trace.program.stores.iter());
    let rows = stores.map(|store| StoreRow {
        source: store.source,
        uid: store.uid,
        shape: Numbers::from(&*store.shape),
        dtype: trace.strings.get(store.dtype).into(),
        provenance: provenance(store.provenance),
    });
    write_rows(connection, rows)?;
    let instances = progress.over("writing instances", trace.work.instances.iter());
    let rows = instances.map(|instance| InstanceRow {
        source: instance.source,
        uid: instance.uid,
        store: instance.store,
        memory: instance.memory,
        bytes: Bytes(instance.bytes),
        created: instance.created,
        ready: instance.ready,
        destroyed: instance.destroyed,
        operation: instance.operation,
    });
    write_rows(connection, rows)?;
    let rows = trace.work.memory_uses.iter().map(|used| MemoryUseRow {
        source: used.source,
        memory: used.memory,
        at: used.at,
        live: Bytes(used.live),
        peak: Bytes(used.peak),
        largest_free: Bytes(used.largest_free),
        kept: Bytes(used.kept),
    });
    write_rows(connection, rows)?;
    let copies = progress.over("writing copies", trace.work.copies.iter());
    let rows = copies.map(|copy| {
        let (from, to) = trace.ends(copy);
        CopyRow {
            source: copy.source,
            uid: copy.uid,
            operation: copy.operation,
            from: copy.from,
            to: copy.to,
            bytes: Bytes(copy.bytes),
            created: copy.created,
            ready: copy.ready,
            start: copy.start,
            end: copy.end,
            from_rank: from.and_then(|end| end.rank),
            to_rank: to.rank,
        }
    });
    write_rows(connection, rows)?;
    let rows = trace.work.partitionings.iter().map(|row| PartitioningRow {
        source: row.source,
        uid: row.uid,
        kind: row.kind,
        operation: row.operation,
        created: row.created,
        ready: row.ready,
        start: row.start,
        end: row.end,
    });
    write_rows(connection, rows)?;
    messages(trace, connection, progress)
}

/// Writes the sides of messages. Their copy has the UID of one side.
fn messages(trace: &Trace, connection: &Connection, progress: &Progress) -> rusqlite::Result<()> {
    let messages = progress.over("writing messages", trace.work.messages.iter());
    let rows = messages.flat_map(|message| {
        let copy = message.received.or(message.sent);
        message.sides().map(move |(which, side)| MessageRow {
            source: side.source,
            uid: side.uid,
            copy: copy.map(|copy| copy.uid),
            side: which,
            operation: side.operation,
            from: message.from,
            to: message.to,
            number: Count(message.number),
            memory: side.memory,
            bytes: Bytes(side.bytes),
            created: side.created,
            ready: side.ready,
            start: side.start,
            passed: side.passed,
            end: side.end,
        })
    });
    write_rows(connection, rows)
}
