//! By task, operation, line and kernel.

use super::cost::Cost;
use super::groups::Groups;
use crate::joined::{Index, Joined, ProvenanceIndex, SourceIndex, StringIndex};
use crate::output::table::{Cell, Table, Unit};
use crate::output::text::place;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use weft_trace::id::Uid;

fn operation(joined: &Joined, index: &Index, source: SourceIndex, uid: Uid) -> Option<usize> {
    index
        .operation(source, uid)
        .filter(|row| *row < joined.operations.len())
}

pub(super) fn by_task(joined: &Joined) -> Table {
    let index = Index::of(joined);
    let cost = Cost::of(joined, &index);
    let variants: FxHashMap<_, _> = joined
        .processors
        .iter()
        .map(|processor| ((processor.source, processor.id), processor.kind))
        .collect();
    let mut groups = Groups::new();
    for (task, kernel_time) in joined.tasks.iter().zip(&cost.tasks) {
        let row = operation(joined, &index, task.source, task.operation);
        let name = row.map(|row| joined.operations[row].name);
        let sum = groups.of((name, variants.get(&(task.source, task.processor)).copied()));
        sum.add((task.end - task.start).0);
        sum.kernel_time += kernel_time;
    }
    groups.table(
        &["task", "variant"],
        Unit::Nanos,
        true,
        |(name, variant)| {
            let variant = variant.map_or(Cell::Null, |kind| Cell::Text(kind.name().to_owned()));
            vec![name_cell(joined, name), variant]
        },
    )
}

pub(super) fn by_operation(joined: &Joined) -> Table {
    let index = Index::of(joined);
    let cost = Cost::of(joined, &index);
    let mut times = vec![(0_i64, 0.0); joined.operations.len()];
    for (task, kernel_time) in joined.tasks.iter().zip(&cost.tasks) {
        let row = operation(joined, &index, task.source, task.operation);
        if let Some(time) = row.and_then(|row| times.get_mut(row)) {
            time.0 += (task.end - task.start).0;
            time.1 += kernel_time;
        }
    }
    let mut groups = Groups::new();
    for (operation, (time, kernel_time)) in joined.operations.iter().zip(times) {
        let sum = groups.of(operation.name);
        sum.add(time);
        sum.kernel_time += kernel_time;
    }
    groups.table(&["operation"], Unit::Nanos, true, |name| {
        vec![name_cell(joined, Some(name))]
    })
}

pub(super) fn by_line(joined: &Joined) -> Table {
    let index = Index::of(joined);
    let cost = Cost::of(joined, &index);
    let mut groups: Groups<ProvenanceIndex> = Groups::new();
    let mut names: FxHashMap<ProvenanceIndex, BTreeSet<&str>> = FxHashMap::default();
    let tasks = joined.tasks.iter().zip(&cost.tasks);
    let tasks =
        tasks.map(|(task, time)| (task.source, task.operation, task.end - task.start, time));
    let copies = joined.copies.iter().zip(&cost.copies);
    let copies =
        copies.map(|(copy, time)| (copy.source, copy.operation, copy.end - copy.start, time));
    for (source, uid, time, kernel_time) in tasks.chain(copies) {
        let row = operation(joined, &index, source, uid);
        let provenance = row.map_or(ProvenanceIndex(0), |row| joined.operations[row].provenance);
        let sum = groups.of(provenance);
        sum.add(time.0);
        sum.kernel_time += kernel_time;
        if let Some(row) = row {
            let name = joined.strings.get(joined.operations[row].name);
            names.entry(provenance).or_default().insert(name);
        }
    }
    if cost.rest > 0.0 {
        groups.of(ProvenanceIndex(0)).kernel_time += cost.rest;
    }
    groups.table(&["line", "operations"], Unit::Nanos, true, |provenance| {
        let line = place(joined, provenance).unwrap_or_else(|| "(no line)".to_owned());
        let names = names
            .get(&provenance)
            .map(|names| names.iter().copied().collect::<Vec<_>>().join(", "));
        vec![Cell::Text(line), names.map_or(Cell::Null, Cell::Text)]
    })
}

pub(super) fn by_kernel(joined: &Joined) -> Table {
    let mut groups = Groups::new();
    for kernel in &joined.kernels {
        let time = (kernel.end - kernel.start).0;
        groups
            .of((kernel.name, kernel.kind, kernel.recorder))
            .add(time);
    }
    groups.table(
        &["kernel", "kind", "seen by"],
        Unit::Nanos,
        false,
        |(name, kind, recorder)| {
            vec![
                name_cell(joined, Some(name)),
                Cell::Text(kind.name().to_owned()),
                Cell::Text(recorder.name().to_owned()),
            ]
        },
    )
}

pub(super) fn name_cell(joined: &Joined, name: Option<StringIndex>) -> Cell {
    let name = name.map_or("", |name| joined.strings.get(name));
    Cell::Text(if name.is_empty() { "(unknown)" } else { name }.to_owned())
}
