//! WEFT_TASK, WEFT_LAUNCH, WEFT_LAUNCH_TASK, WEFT_DEPENDENCY, WEFT_WAIT, WEFT_RUNTIME_CALL, WEFT_INSTANCE, WEFT_COPY,
//! WEFT_MESSAGE.

use super::{coded, integer, small, source, text, time, uid};
use crate::error::ExportError;
use crate::input::nsys::Database;
use crate::joined::{
    Copy, Dependency, Instance, Joined, Launch, MemoryUse, Message, RuntimeCall, Side, SourceIndex,
    Task, Wait,
};
use rustc_hash::FxHashMap;
use weft_trace::id::{MemoryId, ProcessorId, Uid};
use weft_trace::record::{DependencyKind, MessageSide};

pub(super) fn read(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    tasks(joined, database)?;
    launches(joined, database)?;
    data(joined, database)?;
    database.each_row(
        "WEFT_DEPENDENCY",
        &["sourceId", "fromUid", "toUid", "kind"],
        |row| {
            let kind = coded(row, 3, DependencyKind::from_code, |kind| kind.name());
            let (Some(source), Some(from), Some(to), Some(kind)) =
                (source(row, 0), uid(row, 1), uid(row, 2), kind)
            else {
                return false;
            };
            joined.dependencies.push(Dependency {
                source,
                from,
                to,
                kind,
            });
            true
        },
    )?;
    database.each_row(
        "WEFT_WAIT",
        &["sourceId", "taskUid", "start", "ready", "end"],
        |row| {
            let (Some(source), Some(task), Some(start), Some(ready), Some(end)) = (
                source(row, 0),
                uid(row, 1),
                time(row, 2),
                time(row, 3),
                time(row, 4),
            ) else {
                return false;
            };
            joined.waits.push(Wait {
                source,
                task,
                start,
                ready,
                end,
            });
            true
        },
    )?;
    let columns = ["sourceId", "kind", "opUid", "processorId", "start", "end"];
    database.each_row("WEFT_RUNTIME_CALL", &columns, |row| {
        let (Some(source), Some(kind), Some(processor), Some(start), Some(end)) = (
            source(row, 0),
            text(row, 1),
            small(row, 3),
            time(row, 4),
            time(row, 5),
        ) else {
            return false;
        };
        joined.runtime_calls.push(RuntimeCall {
            source,
            kind: joined.strings.intern(kind),
            operation: uid(row, 2),
            processor: ProcessorId(processor),
            start,
            end,
        });
        true
    })
}

fn tasks(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    let columns = [
        "sourceId",
        "uid",
        "opUid",
        "point",
        "processorId",
        "created",
        "ready",
        "start",
        "end",
        "deviceStart",
        "deviceEnd",
    ];
    database.each_row("WEFT_TASK", &columns, |row| {
        let (Some(source), Some(task), Some(operation), Some(processor)) =
            (source(row, 0), uid(row, 1), uid(row, 2), small(row, 4))
        else {
            return false;
        };
        let (Some(created), Some(ready), Some(start), Some(end)) =
            (time(row, 5), time(row, 6), time(row, 7), time(row, 8))
        else {
            return false;
        };
        joined.tasks.push(Task {
            source,
            uid: task,
            operation,
            point: small(row, 3).unwrap_or(0),
            processor: ProcessorId(processor),
            created,
            ready,
            start,
            end,
            device: time(row, 9).zip(time(row, 10)),
        });
        true
    })
}

fn launches(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    let mut shares: FxHashMap<(SourceIndex, Uid), Vec<(Uid, f64)>> = FxHashMap::default();
    let columns = ["sourceId", "launchUid", "taskUid", "share"];
    database.each_row("WEFT_LAUNCH_TASK", &columns, |row| {
        let (Some(source), Some(launch), Some(task), Ok(share)) = (
            source(row, 0),
            uid(row, 1),
            uid(row, 2),
            row.get::<_, f64>(3),
        ) else {
            return false;
        };
        shares
            .entry((source, launch))
            .or_default()
            .push((task, share));
        true
    })?;
    let columns = ["sourceId", "uid", "processorId", "start", "end"];
    database.each_row("WEFT_LAUNCH", &columns, |row| {
        let (Some(source), Some(uid), Some(processor), Some(start), Some(end)) = (
            source(row, 0),
            uid(row, 1),
            small(row, 2),
            time(row, 3),
            time(row, 4),
        ) else {
            return false;
        };
        joined.launches.push(Launch {
            source,
            run: joined.run_of(source),
            uid,
            processor: ProcessorId(processor),
            start,
            end,
            shares: shares.remove(&(source, uid)).unwrap_or_default().into(),
        });
        true
    })
}

fn data(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    let columns = [
        "sourceId",
        "uid",
        "storeUid",
        "memoryId",
        "bytes",
        "created",
        "ready",
        "destroyed",
        "opUid",
    ];
    database.each_row("WEFT_INSTANCE", &columns, |row| {
        let (Some(source), Some(key), Some(memory)) = (source(row, 0), uid(row, 1), small(row, 3))
        else {
            return false;
        };
        let (Some(created), Some(ready)) = (time(row, 5), time(row, 6)) else {
            return false;
        };
        joined.instances.push(Instance {
            source,
            uid: key,
            store: uid(row, 2),
            memory: MemoryId(memory),
            bytes: integer(row, 4).unwrap_or(0).cast_unsigned(),
            operation: uid(row, 8),
            created,
            ready,
            destroyed: time(row, 7),
        });
        true
    })?;
    memory_uses(joined, database)?;
    let columns = [
        "sourceId",
        "uid",
        "opUid",
        "srcMemoryId",
        "dstMemoryId",
        "bytes",
        "created",
        "ready",
        "start",
        "end",
        "srcRank",
    ];
    database.each_row("WEFT_COPY", &columns, |row| {
        let (Some(source), Some(key), Some(operation), Some(to)) =
            (source(row, 0), uid(row, 1), uid(row, 2), small(row, 4))
        else {
            return false;
        };
        let (Some(created), Some(ready), Some(start), Some(end)) =
            (time(row, 6), time(row, 7), time(row, 8), time(row, 9))
        else {
            return false;
        };
        // Messages are read with both sides.
        if integer(row, 10).is_some() {
            return true;
        }
        joined.copies.push(Copy {
            source,
            uid: key,
            operation,
            from: small(row, 3).map(MemoryId),
            to: MemoryId(to),
            bytes: integer(row, 5).unwrap_or(0).cast_unsigned(),
            created,
            ready,
            start,
            end,
            message: None,
        });
        true
    })?;
    messages(joined, database)
}

/// The sides of messages, of which their copies are made again.
fn messages(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    let columns = [
        "sourceId", "uid", "side", "opUid", "srcRank", "dstRank", "number", "memoryId", "bytes",
        "created", "ready", "start", "passed", "end",
    ];
    database.each_row("WEFT_MESSAGE", &columns, |row| {
        let side = coded(row, 2, MessageSide::from_code, |side| side.name());
        let (Some(source), Some(key), Some(side), Some(operation)) =
            (source(row, 0), uid(row, 1), side, uid(row, 3))
        else {
            return false;
        };
        let (Some(from), Some(to), Some(memory)) = (small(row, 4), small(row, 5), small(row, 7))
        else {
            return false;
        };
        let times = [9, 10, 11, 12, 13].map(|column| time(row, column));
        let [
            Some(created),
            Some(ready),
            Some(start),
            Some(passed),
            Some(end),
        ] = times
        else {
            return false;
        };
        let ranks = match side {
            MessageSide::Send => [from, to],
            MessageSide::Receive => [to, from],
        };
        let number = integer(row, 6).unwrap_or(0).cast_unsigned();
        let known = Side {
            source,
            uid: key,
            operation,
            memory: MemoryId(memory),
            bytes: integer(row, 8).unwrap_or(0).cast_unsigned(),
            created,
            ready,
            start,
            passed,
            end,
        };
        let run = joined.run_of(source);
        let row = Message::of_side(run, side, ranks, number, known);
        joined.messages.push(row);
        true
    })?;
    joined.pair_messages();
    Ok(())
}

fn memory_uses(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    let columns = [
        "sourceId",
        "memoryId",
        "time",
        "live",
        "peak",
        "largestFree",
        "kept",
    ];
    database.each_row("WEFT_MEMORY_USE", &columns, |row| {
        let (Some(source), Some(memory), Some(at)) = (source(row, 0), small(row, 1), time(row, 2))
        else {
            return false;
        };
        let bytes = |column| integer(row, column).unwrap_or(0).cast_unsigned();
        joined.memory_uses.push(MemoryUse {
            source,
            memory: MemoryId(memory),
            at,
            live: bytes(3),
            peak: bytes(4),
            largest_free: bytes(5),
            kept: bytes(6),
        });
        true
    })
}
