//! WEFT_TASK, WEFT_LAUNCH, WEFT_LAUNCH_TASK, WEFT_DEPENDENCY, WEFT_WAIT, WEFT_RUNTIME_CALL.

use rustc_hash::FxHashMap;
use weft_database::Database;
use weft_database::schema::{
    CompileRow, DependencyRow, LaunchRow, LaunchTaskRow, RuntimeCallRow, TaskRow, WaitRow,
};
use weft_model::{
    Compilation, Dependency, ExportError, Launch, Recording, RuntimeCall, ShareOrigin, SourceIndex,
    Task, WAIT, Wait, WaitKind,
};
use weft_trace::id::Uid;
use weft_trace::record::Arithmetic;

pub(super) fn read(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    TaskRow::read(database, |row| {
        recording.work.tasks.push(Task {
            source: row.source,
            uid: row.uid,
            operation: row.operation,
            point: row.point,
            processor: row.processor,
            created: row.created,
            ready: row.ready,
            start: row.start,
            end: row.end,
            device: row.device_start.zip(row.device_end),
            arithmetic: row.float_operations.map(|count| Arithmetic {
                operations: count.0,
                single: row.float_bits == Some(32),
            }),
        });
        true
    })?;
    launches(recording, database)?;
    DependencyRow::read(database, |row| {
        recording.work.dependencies.push(Dependency {
            source: row.source,
            from: row.from,
            to: row.to,
            kind: row.kind,
            store: row.store,
            bytes: row.bytes.map(|bytes| bytes.0),
        });
        true
    })?;
    WaitRow::read(database, |row| {
        recording.work.waits.push(Wait {
            source: row.source,
            // Databases of earlier versions only have waits of tasks, without a kind.
            kind: row.kind.unwrap_or(WaitKind::Event),
            task: row.task,
            processor: row.processor.filter(|_| row.task.is_none()),
            operation: row.operation,
            start: row.start,
            ready: row.ready,
            end: row.end,
        });
        true
    })?;
    recording.strings.intern(WAIT);
    RuntimeCallRow::read(database, |row| {
        recording.work.runtime_calls.push(RuntimeCall {
            source: row.source,
            kind: recording.strings.intern(&row.kind),
            operation: row.operation,
            processor: row.processor,
            start: row.start,
            end: row.end,
        });
        true
    })?;
    CompileRow::read(database, |row| {
        let kernel = recording.strings.intern(&row.kernel);
        let target = recording.strings.intern(&row.target);
        recording.work.compilations.push(Compilation {
            source: row.source,
            launch: row.launch,
            operation: row.operation,
            processor: row.processor,
            kernel,
            target,
            source_hash: row.source_hash.cast_unsigned(),
            origin: row.origin,
            start: row.start,
            made: row.made,
            end: row.end,
            waited: row.waited,
        });
        true
    })
}

fn launches(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    type Shares = (Vec<(Uid, f64)>, Option<bool>);
    let mut shares: FxHashMap<(SourceIndex, Uid), Shares> = FxHashMap::default();
    LaunchTaskRow::read(database, |row| {
        let (shares, estimated) = shares.entry((row.source, row.launch)).or_default();
        shares.push((row.task, row.share));
        *estimated = row.estimated.or(*estimated);
        true
    })?;
    LaunchRow::read(database, |row| {
        let (shares, estimated) = shares.remove(&(row.source, row.uid)).unwrap_or_default();
        recording.work.launches.push(Launch {
            source: row.source,
            run: recording.run_of(row.source),
            uid: row.uid,
            processor: row.processor,
            start: row.start,
            end: row.end,
            // Databases of earlier versions do not have the column.
            split: match estimated {
                Some(true) => ShareOrigin::Estimated,
                Some(false) => ShareOrigin::Measured,
                None => ShareOrigin::of_shares(shares.len()),
            },
            shares: shares.into(),
        });
        true
    })
}
