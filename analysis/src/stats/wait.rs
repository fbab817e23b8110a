//! Waits: the waiter, the awaited event, and the time.

use super::groups::{Groups, KernelTime};
use super::machine::rank;
use weft_model::table::{Cell, Table, Unit};
use weft_model::text::place;
use weft_model::{Index, ProvenanceIndex, SourceIndex, StringIndex, Trace, Wait};
use weft_trace::id::Uid;

/// The name and line of an operation, both unknown if it is.
type Which = (Option<StringIndex>, ProvenanceIndex);

const UNKNOWN: Which = (None, ProvenanceIndex(0));

/// Returns the times from stopping to resuming, by waiter, kind and operation. The events that
/// tasks waited for are not recorded, so the line of a task's wait is its own.
pub(super) fn by_wait(trace: &Trace) -> Table {
    let index = Index::new(trace);
    let mut groups = Groups::new();
    for (wait, time) in merge_waits(&trace.work.waits) {
        let who = wait.task.map(|task| of_task(trace, &index, wait, task));
        let awaited = wait.operation.map_or(UNKNOWN, |operation| {
            operation_name(trace, &index, wait.source, operation)
        });
        let sum = groups.entry((wait.source, who, wait.kind, awaited));
        sum.add(time);
    }
    let names = ["rank", "waiting", "cause", "for", "line"];
    groups.table(
        &names,
        Unit::Nanos,
        KernelTime::NotShown,
        |(source, who, kind, awaited)| {
            let name = |name: Option<StringIndex>| {
                name.map_or(Cell::Null, |name| {
                    Cell::Text(trace.strings.get(name).to_owned())
                })
            };
            let line = |line| place(trace, line).map_or(Cell::Null, Cell::Text);
            let (waiting, line) = match who {
                None => (Cell::Text("program".to_owned()), line(awaited.1)),
                Some((task, own)) if awaited.1.0 == 0 => (name(task), line(own)),
                Some((task, _)) => (name(task), line(awaited.1)),
            };
            vec![
                rank(trace, source),
                waiting,
                Cell::Text(kind.name().to_owned()),
                name(awaited.0),
                line,
            ]
        },
    )
}

/// Merges waits of programs: a front end that checks for signals waits for one value in parts.
/// Returns each wait with its time in ns.
fn merge_waits(waits: &[Wait]) -> Vec<(&Wait, i64)> {
    let mut order: Vec<&Wait> = waits.iter().collect();
    order.sort_by_key(|wait| (wait.source, wait.processor, wait.start));
    let mut found: Vec<(&Wait, i64)> = Vec::new();
    for wait in order {
        let time = (wait.end - wait.start).0;
        let who = |wait: &Wait| (wait.source, wait.processor, wait.kind, wait.operation);
        match found.last_mut() {
            Some((last, sum))
                if who(last) == who(wait)
                    && wait.operation.is_some()
                    && last.task.is_none()
                    && wait.task.is_none() =>
            {
                *sum += time;
            }
            _ => found.push((wait, time)),
        }
    }
    found
}

/// Returns the operation of a task that waited.
fn of_task(trace: &Trace, index: &Index, wait: &Wait, task: Uid) -> Which {
    let served = index.served(wait.source, task);
    let Some(weft_model::Served::Task(row)) = served else {
        return UNKNOWN;
    };
    let task = trace.work.tasks.get(row as usize);
    task.map_or(UNKNOWN, |task| {
        operation_name(trace, index, task.source, task.operation)
    })
}

fn operation_name(trace: &Trace, index: &Index, source: SourceIndex, operation: Uid) -> Which {
    let row = index.operation(source, operation);
    let row = row.and_then(|row| trace.program.operations.get(row));
    row.map_or(UNKNOWN, |row| (Some(row.name), row.provenance))
}
