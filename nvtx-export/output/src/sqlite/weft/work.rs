//! WEFT_TASK, WEFT_LAUNCH, WEFT_LAUNCH_TASK, WEFT_DEPENDENCY, WEFT_WAIT, WEFT_RUNTIME_CALL.

use super::provenance;
use rusqlite::Connection;
use weft_database::schema::{
    Bytes, CompileRow, Count, DependencyRow, Insert, LaunchRow, LaunchTaskRow, PrimaryKey,
    RuntimeCallRow, TaskRow, WaitRow, write_rows,
};
use weft_model::{DeviceTimes, Index, Progress, Served, Trace, Wait};
use weft_trace::color;
use weft_trace::time::Nanos;

pub(super) fn write(
    trace: &Trace,
    index: &Index,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<()> {
    tasks(trace, index, connection, progress)?;
    let mut insert = Insert::into(connection, &LaunchRow::TABLE)?;
    let mut serves = Insert::into(connection, &LaunchTaskRow::TABLE)?;
    let device = DeviceTimes::new(trace);
    let launches = trace.work.launches.iter().enumerate();
    for (row, launch) in progress.over("writing launches", launches) {
        insert.row(&LaunchRow {
            source: launch.source,
            uid: launch.uid,
            processor: launch.processor,
            start: launch.start,
            end: launch.end,
        })?;
        for (task, share) in launch.served() {
            serves.row(&LaunchTaskRow {
                source: launch.source,
                launch: launch.uid,
                task,
                share,
                estimated: Some(launch.split.is_estimated()),
                estimated_time: (launch.split.is_estimated())
                    .then(|| device.part(row, launch, share)),
            })?;
        }
    }
    let edges = progress.over("writing dependences", trace.work.dependencies.iter());
    let rows = edges.map(|edge| DependencyRow {
        source: edge.source,
        from: edge.from,
        to: edge.to,
        kind: edge.kind,
        store: edge.store,
        bytes: edge.bytes.map(Bytes),
    });
    write_rows(connection, rows)?;
    let waits = progress.over("writing waits", trace.work.waits.iter());
    let of_task = |wait: &Wait| match index.served(wait.source, wait.task?)? {
        Served::Task(row) => Some(trace.work.tasks.get(row as usize)?.processor),
        Served::Copy(_) => None,
    };
    let rows = waits.map(|wait| WaitRow {
        source: wait.source,
        kind: Some(wait.kind),
        task: wait.task,
        processor: wait.processor.or(of_task(wait)),
        operation: wait.operation,
        start: wait.start,
        ready: wait.ready,
        end: wait.end,
    });
    write_rows(connection, rows)?;
    let calls = progress.over("writing runtime calls", trace.work.runtime_calls.iter());
    let rows = (1..).zip(calls).map(|(id, call)| RuntimeCallRow {
        id: PrimaryKey(id),
        source: call.source,
        kind: trace.strings.get(call.kind).into(),
        operation: call.operation,
        processor: call.processor,
        start: call.start,
        end: call.end,
    });
    write_rows(connection, rows)?;
    let rows = trace.work.compilations.iter().map(|row| CompileRow {
        source: row.source,
        launch: row.launch,
        operation: row.operation,
        processor: row.processor,
        kernel: trace.strings.get(row.kernel).into(),
        target: trace.strings.get(row.target).into(),
        source_hash: row.source_hash.cast_signed(),
        origin: row.origin,
        start: row.start,
        made: row.made,
        end: row.end,
        waited: row.waited,
    });
    write_rows(connection, rows)
}

fn tasks(
    trace: &Trace,
    index: &Index,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<()> {
    let processors = trace.processors_by_id();
    let nested = trace.nested_times();
    let tasks = progress.over("writing tasks", trace.work.tasks.iter());
    let rows = tasks.zip(nested).map(|(task, nested)| {
        let operation = index.operation(task.source, task.operation);
        let operation = operation.and_then(|row| trace.program.operations.get(row));
        let name = operation.map_or("", |operation| trace.strings.get(operation.name));
        let source = trace.sources.get(task.source.0 as usize);
        let processor = processors.get(&(task.source, task.processor));
        TaskRow {
            source: task.source,
            uid: task.uid,
            operation: task.operation,
            point: task.point,
            rank: source.and_then(|source| source.rank),
            name: name.into(),
            variant: processor.map(|processor| processor.kind.variant().name().into()),
            color: Some(color::of_task(name).into()),
            processor: task.processor,
            created: task.created,
            ready: task.ready,
            start: task.start,
            end: task.end,
            provenance: operation.and_then(|operation| provenance(operation.provenance)),
            device_start: task.device.map(|(start, _)| start),
            device_end: task.device.map(|(_, end)| end),
            nested: (nested > 0).then_some(Nanos(nested)),
            float_operations: task.arithmetic.map(|known| Count(known.operations)),
            float_bits: task
                .arithmetic
                .map(|known| if known.single { 32 } else { 64 }),
        }
    });
    write_rows(connection, rows)
}
