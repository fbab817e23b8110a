//! The keys of rows.

use crate::stats::line::NO_LINE;
use crate::stats::program;
use rustc_hash::FxHashMap;
use weft_model::table::Cell;
use weft_model::text::{place, scope_path};
use weft_model::{Index, ProvenanceIndex, ScopeIndex, Served, SourceIndex, StringIndex, Trace};
use weft_trace::id::ProcessorId;
use weft_trace::record::ProcessorKind;

pub(super) use crate::stats::program::name_cell;

/// Returns the line of the operation.
pub(super) fn line<'a>(
    trace: &'a Trace,
    index: &'a Index,
) -> impl Fn(Served) -> Option<ProvenanceIndex> + 'a {
    |served| {
        let row = program::operation_of(trace, index, served);
        let operation = row.and_then(|row| trace.program.operations.get(row));
        Some(operation.map_or(ProvenanceIndex::default(), |operation| operation.provenance))
    }
}

pub(super) fn line_cell(trace: &Trace, line: ProvenanceIndex) -> Cell {
    Cell::Text(place(trace, line).unwrap_or_else(|| NO_LINE.to_owned()))
}

/// Returns the innermost scope around the operation's call.
pub(super) fn scope<'a>(
    trace: &'a Trace,
    index: &'a Index,
) -> impl Fn(Served) -> Option<ScopeIndex> + 'a {
    |served| {
        let row = program::operation_of(trace, index, served);
        let operation = row.and_then(|row| trace.program.operations.get(row));
        Some(operation.map_or(ScopeIndex::default(), |operation| operation.scope))
    }
}

pub(super) fn scope_cell(trace: &Trace, scope: ScopeIndex) -> Cell {
    Cell::Text(match scope {
        ScopeIndex(0) => "(no scope)".to_owned(),
        scope => scope_path(trace, scope),
    })
}

/// Returns the name of the operation.
pub(super) fn operation<'a>(
    trace: &'a Trace,
    index: &'a Index,
) -> impl Fn(Served) -> Option<Option<StringIndex>> + 'a {
    |served| {
        let row = program::operation_of(trace, index, served);
        let operation = row.and_then(|row| trace.program.operations.get(row));
        Some(operation.map(|operation| operation.name))
    }
}

type TaskKey = (Option<StringIndex>, Option<ProcessorKind>);

/// Returns the name of a task, and the kind of processor whose code it ran; `None` for copies.
pub(super) fn task<'a>(
    trace: &'a Trace,
    index: &'a Index,
) -> impl Fn(Served) -> Option<TaskKey> + 'a {
    let kinds: FxHashMap<(SourceIndex, ProcessorId), ProcessorKind> =
        (trace.machine.processors.iter())
            .map(|processor| ((processor.source, processor.id), processor.kind))
            .collect();
    move |served| {
        let Served::Task(row) = served else {
            return None;
        };
        let task = trace.work.tasks.get(row as usize)?;
        let row = program::operation_of(trace, index, served);
        let operation = row.and_then(|row| trace.program.operations.get(row));
        let kind = kinds.get(&(task.source, task.processor));
        Some((
            operation.map(|operation| operation.name),
            kind.map(|kind| kind.variant()),
        ))
    }
}

pub(super) fn task_cells(trace: &Trace, (name, variant): TaskKey) -> Vec<Cell> {
    let variant = variant.map_or(Cell::Null, |kind| Cell::Text(kind.name().to_owned()));
    vec![name_cell(trace, name), variant]
}
