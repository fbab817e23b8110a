//! WEFT_STORE, WEFT_INSTANCE, WEFT_MEMORY_USE, WEFT_COPY, WEFT_MESSAGE, WEFT_PROCESSOR, WEFT_MEMORY.

use super::{integer, list, provenance};
use crate::joined::Joined;
use crate::progress::Progress;
use rusqlite::{Connection, params};

pub(super) fn write(
    joined: &Joined,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<()> {
    let text = |index| joined.strings.get(index);
    let mut insert = connection.prepare("INSERT INTO WEFT_STORE VALUES (?, ?, ?, ?, ?)")?;
    for store in progress.over("writing stores", joined.stores.iter()) {
        insert.execute(params![
            store.source.id(),
            integer(store.uid.raw()),
            list(store.shape.iter().copied()),
            text(store.dtype),
            provenance(store.provenance),
        ])?;
    }
    let mut insert =
        connection.prepare("INSERT INTO WEFT_INSTANCE VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for instance in progress.over("writing instances", joined.instances.iter()) {
        insert.execute(params![
            instance.source.id(),
            integer(instance.uid.raw()),
            instance.store.map(|uid| integer(uid.raw())),
            instance.memory.0,
            integer(instance.bytes),
            instance.created.nanos(),
            instance.ready.nanos(),
            instance.destroyed.map(|time| time.nanos()),
            instance.operation.map(|uid| integer(uid.raw())),
        ])?;
    }
    let mut insert =
        connection.prepare("INSERT INTO WEFT_MEMORY_USE VALUES (?, ?, ?, ?, ?, ?, ?)")?;
    for used in &joined.memory_uses {
        insert.execute(params![
            used.source.id(),
            used.memory.0,
            used.at.nanos(),
            integer(used.live),
            integer(used.peak),
            integer(used.largest_free),
            integer(used.kept),
        ])?;
    }
    let mut insert =
        connection.prepare("INSERT INTO WEFT_COPY VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for copy in progress.over("writing copies", joined.copies.iter()) {
        let (from, to) = joined.ends(copy);
        insert.execute(params![
            copy.source.id(),
            integer(copy.uid.raw()),
            integer(copy.operation.raw()),
            copy.from.map(|memory| memory.0),
            copy.to.0,
            integer(copy.bytes),
            copy.created.nanos(),
            copy.ready.nanos(),
            copy.start.nanos(),
            copy.end.nanos(),
            from.and_then(|end| end.rank),
            to.rank,
        ])?;
    }
    messages(joined, connection, progress)?;
    let mut insert = connection.prepare("INSERT INTO WEFT_PROCESSOR VALUES (?, ?, ?, ?, ?)")?;
    for processor in &joined.processors {
        insert.execute(params![
            processor.source.id(),
            processor.id.0,
            processor.kind.name(),
            text(processor.name),
            (processor.thread != 0).then_some(processor.thread),
        ])?;
    }
    let mut insert = connection.prepare("INSERT INTO WEFT_MEMORY VALUES (?, ?, ?, ?)")?;
    for memory in &joined.memories {
        insert.execute(params![
            memory.source.id(),
            memory.id.0,
            memory.kind.name(),
            integer(memory.capacity),
        ])?;
    }
    Ok(())
}

/// The sides of messages; the copy that both are has the UID of one of them.
fn messages(joined: &Joined, connection: &Connection, progress: &Progress) -> rusqlite::Result<()> {
    let mut insert = connection
        .prepare("INSERT INTO WEFT_MESSAGE VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for message in progress.over("writing messages", joined.messages.iter()) {
        let copy = message.received.or(message.sent);
        for (which, side) in message.sides() {
            insert.execute(params![
                side.source.id(),
                integer(side.uid.raw()),
                copy.map(|copy| integer(copy.uid.raw())),
                which.name(),
                integer(side.operation.raw()),
                message.from,
                message.to,
                integer(message.number),
                side.memory.0,
                integer(side.bytes),
                side.created.nanos(),
                side.ready.nanos(),
                side.start.nanos(),
                side.passed.nanos(),
                side.end.nanos(),
            ])?;
        }
    }
    Ok(())
}
