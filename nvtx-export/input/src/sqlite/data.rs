//! WEFT_INSTANCE, WEFT_MEMORY_USE, WEFT_COPY, WEFT_MESSAGE, WEFT_PARTITIONING.

use weft_database::Database;
use weft_database::schema::{CopyRow, InstanceRow, MemoryUseRow, MessageRow, PartitioningRow};
use weft_model::{Copy, ExportError, Instance, MemoryUse, Message, Partitioning, Recording, Side};
use weft_trace::record::MessageSide;

pub(super) fn read(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    InstanceRow::read(database, |row| {
        recording.work.instances.push(Instance {
            source: row.source,
            uid: row.uid,
            store: row.store,
            memory: row.memory,
            bytes: row.bytes.0,
            operation: row.operation,
            created: row.created,
            ready: row.ready,
            destroyed: row.destroyed,
        });
        true
    })?;
    MemoryUseRow::read(database, |row| {
        recording.work.memory_uses.push(MemoryUse {
            source: row.source,
            memory: row.memory,
            at: row.at,
            live: row.live.0,
            peak: row.peak.0,
            largest_free: row.largest_free.0,
            kept: row.kept.0,
        });
        true
    })?;
    CopyRow::read(database, |row| {
        // Messages are read with both sides.
        if row.from_rank.is_some() {
            return true;
        }
        recording.work.copies.push(Copy {
            source: row.source,
            uid: row.uid,
            operation: row.operation,
            from: row.from,
            to: row.to,
            bytes: row.bytes.0,
            created: row.created,
            ready: row.ready,
            start: row.start,
            end: row.end,
            message: None,
        });
        true
    })?;
    PartitioningRow::read(database, |row| {
        recording.work.partitionings.push(Partitioning {
            source: row.source,
            uid: row.uid,
            kind: row.kind,
            operation: row.operation,
            created: row.created,
            ready: row.ready,
            start: row.start,
            end: row.end,
        });
        true
    })?;
    messages(recording, database)
}

/// Reads the sides of messages. Their copies are recreated from them.
fn messages(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    MessageRow::read(database, |row| {
        let ranks = match row.side {
            MessageSide::Send => [row.from, row.to],
            MessageSide::Receive => [row.to, row.from],
        };
        let side = Side {
            source: row.source,
            uid: row.uid,
            operation: row.operation,
            memory: row.memory,
            bytes: row.bytes.0,
            created: row.created,
            ready: row.ready,
            start: row.start,
            passed: row.passed,
            end: row.end,
        };
        let run = recording.run_of(row.source);
        let message = Message::of_side(run, row.side, ranks, row.number.0, side);
        recording.work.messages.push(message);
        true
    })?;
    recording.pair_messages();
    Ok(())
}
