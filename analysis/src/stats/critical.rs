//! Statistics by line of the critical path.

use super::groups::{Groups, KernelTime};
use rustc_hash::FxHashSet;
use weft_critical::path;
use weft_model::table::{Cell, Table, Unit};
use weft_model::text::place;
use weft_model::{Index, ProvenanceIndex, RunIndex, Trace};
use weft_trace::id::Uid;

/// Returns each line's contribution to the run's length, by kind of step. The totals add up to that
/// length. The program's own time counts for the line of its next call.
pub(super) fn by_critical(trace: &Trace) -> Table {
    let index = Index::new(trace);
    let mut groups = Groups::new().with_estimates();
    let estimated = estimated(trace);
    for step in path(trace) {
        let row = step
            .operation
            .and_then(|uid| index.operation(step.source, uid));
        let operation = row.and_then(|row| trace.program.operations.get(row));
        let line = operation.map_or(ProvenanceIndex(0), |operation| operation.provenance);
        let sum = groups.entry((line, step.kind));
        sum.add(step.part);
        let task = step.uid.map(|uid| (trace.run_of(step.source), uid));
        if task.is_some_and(|task| estimated.contains(&task)) {
            sum.estimate(step.part);
        }
    }
    let names = ["line", "kind"];
    groups.table(&names, Unit::Nanos, KernelTime::NotShown, |(line, kind)| {
        let line = place(trace, line).unwrap_or_else(|| "(no line)".to_owned());
        vec![Cell::Text(line), Cell::Text(kind.name().to_owned())]
    })
}

/// Returns the tasks whose share of a launch is estimated.
fn estimated(trace: &Trace) -> FxHashSet<(RunIndex, Uid)> {
    let launches = trace.work.launches.iter();
    let launches = launches.filter(|launch| launch.split.is_estimated());
    launches
        .flat_map(|launch| launch.served().map(|(uid, _)| (launch.run, uid)))
        .collect()
}
