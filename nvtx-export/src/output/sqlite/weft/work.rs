//! WEFT_TASK, WEFT_LAUNCH, WEFT_LAUNCH_TASK, WEFT_DEPENDENCY, WEFT_WAIT, WEFT_RUNTIME_CALL.

use super::{integer, provenance};
use crate::joined::{Index, Joined};
use crate::progress::Progress;
use rusqlite::{Connection, params};
use weft_trace::color;

pub(super) fn write(
    joined: &Joined,
    index: &Index,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<()> {
    tasks(joined, index, connection, progress)?;
    let mut insert = connection.prepare("INSERT INTO WEFT_LAUNCH VALUES (?, ?, ?, ?, ?)")?;
    let mut serves = connection.prepare("INSERT INTO WEFT_LAUNCH_TASK VALUES (?, ?, ?, ?)")?;
    for launch in progress.over("writing launches", joined.launches.iter()) {
        let (source, uid) = (launch.source.id(), integer(launch.uid.raw()));
        let (start, end) = (launch.start.nanos(), launch.end.nanos());
        insert.execute(params![source, uid, launch.processor.0, start, end])?;
        for (task, share) in launch.served() {
            serves.execute(params![source, uid, integer(task.raw()), share])?;
        }
    }
    let mut insert = connection.prepare("INSERT INTO WEFT_DEPENDENCY VALUES (?, ?, ?, ?)")?;
    for edge in progress.over("writing dependences", joined.dependencies.iter()) {
        let (from, to) = (integer(edge.from.raw()), integer(edge.to.raw()));
        insert.execute(params![edge.source.id(), from, to, edge.kind.name()])?;
    }
    let mut insert = connection.prepare("INSERT INTO WEFT_WAIT VALUES (?, ?, ?, ?, ?)")?;
    for wait in progress.over("writing waits", joined.waits.iter()) {
        insert.execute(params![
            wait.source.id(),
            integer(wait.task.raw()),
            wait.start.nanos(),
            wait.ready.nanos(),
            wait.end.nanos(),
        ])?;
    }
    let mut insert =
        connection.prepare("INSERT INTO WEFT_RUNTIME_CALL VALUES (NULL, ?, ?, ?, ?, ?, ?)")?;
    for call in progress.over("writing runtime calls", joined.runtime_calls.iter()) {
        insert.execute(params![
            call.source.id(),
            joined.strings.get(call.kind),
            call.operation.map(|uid| integer(uid.raw())),
            call.processor.0,
            call.start.nanos(),
            call.end.nanos(),
        ])?;
    }
    Ok(())
}

fn tasks(
    joined: &Joined,
    index: &Index,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<()> {
    let processors = joined.processors_by_id();
    let mut insert = connection
        .prepare("INSERT INTO WEFT_TASK VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for task in progress.over("writing tasks", joined.tasks.iter()) {
        let operation = index.operation(task.source, task.operation);
        let operation = operation.and_then(|row| joined.operations.get(row));
        let name = operation.map_or("", |operation| joined.strings.get(operation.name));
        let source = joined.sources.get(task.source.0 as usize);
        insert.execute(params![
            task.source.id(),
            integer(task.uid.raw()),
            integer(task.operation.raw()),
            task.point,
            source.and_then(|source| source.rank),
            name,
            processors
                .get(&(task.source, task.processor))
                .map(|processor| processor.kind.variant().name()),
            color::of_task(name),
            task.processor.0,
            task.created.nanos(),
            task.ready.nanos(),
            task.start.nanos(),
            task.end.nanos(),
            operation.and_then(|operation| provenance(operation.provenance)),
            task.device.map(|(start, _)| start.nanos()),
            task.device.map(|(_, end)| end.nanos()),
        ])?;
    }
    Ok(())
}
