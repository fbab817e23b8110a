//! By task and operation.

use super::cost::{self, Cost, Times};
use super::groups::{Groups, KernelTime};
use crate::joined::{Index, Joined, Served, SourceIndex, StringIndex, Task};
use crate::output::table::{Cell, Table, Unit};
use weft_trace::id::{ProcessorId, Uid};

fn operation(joined: &Joined, index: &Index, source: SourceIndex, uid: Uid) -> Option<usize> {
    index
        .operation(source, uid)
        .filter(|row| *row < joined.operations.len())
}

/// The row of the operation that a task or copy belongs to.
pub(super) fn operation_of(joined: &Joined, index: &Index, served: Served) -> Option<usize> {
    let (source, uid) = match served {
        Served::Task(row) => {
            let task = joined.tasks.get(row as usize)?;
            (task.source, task.operation)
        }
        Served::Copy(row) => {
            let copy = joined.copies.get(row as usize)?;
            (copy.source, copy.operation)
        }
    };
    operation(joined, index, source, uid)
}

/// A task or copy that is added up.
pub(super) struct Work {
    /// The row of its operation.
    pub(super) operation: Option<usize>,
    /// What it cost.
    pub(super) times: Times,
    /// Where a task ran.
    pub(super) processor: Option<(SourceIndex, ProcessorId)>,
}

/// Every task and copy.
pub(super) fn work<'a>(
    joined: &'a Joined,
    index: &'a Index,
    cost: &'a Cost,
) -> impl Iterator<Item = Work> + 'a {
    let tasks = joined.tasks.iter().zip(&cost.tasks);
    let tasks = tasks.map(|(task, times)| Work {
        operation: operation(joined, index, task.source, task.operation),
        times: *times,
        processor: Some((task.source, task.processor)),
    });
    let copies = joined.copies.iter().zip(&cost.copies);
    let copies = copies.map(|(copy, times)| Work {
        operation: operation(joined, index, copy.source, copy.operation),
        times: *times,
        processor: None,
    });
    tasks.chain(copies)
}

pub(super) fn by_task(joined: &Joined) -> Table {
    let index = Index::of(joined);
    let cost = Cost::of(joined, &index);
    let processors = joined.processors_by_id();
    let mut groups = Groups::new().with_estimates();
    let key = |task: &Task| {
        let row = operation(joined, &index, task.source, task.operation);
        let name = row.map(|row| joined.operations[row].name);
        let processor = processors.get(&(task.source, task.processor));
        let variant = processor.map(|processor| processor.kind.variant());
        (name, variant)
    };
    for (task, times) in joined.tasks.iter().zip(&cost.tasks) {
        groups.of(key(task)).add_work(times.own, times.kernels);
    }
    let served = |served| match served {
        Served::Task(row) => joined.tasks.get(row as usize).map(key),
        Served::Copy(_) => None,
    };
    cost::estimated(joined, &index, served, |key, time| {
        groups.of(key).estimate(time);
    });
    groups.table(
        &["task", "variant"],
        Unit::Nanos,
        KernelTime::of(joined),
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
    for work in work(joined, &index, &cost) {
        if let Some(sum) = work.operation.and_then(|row| times.get_mut(row)) {
            sum.0 = sum.0.saturating_add(work.times.own);
            sum.1 += work.times.kernels;
        }
    }
    let mut groups = Groups::new().with_estimates();
    for (operation, (time, kernel_time)) in joined.operations.iter().zip(times) {
        groups.of(operation.name).add_work(time, kernel_time);
    }
    let name = |served| {
        let row = operation_of(joined, &index, served)?;
        joined.operations.get(row).map(|operation| operation.name)
    };
    cost::estimated(joined, &index, name, |name, time| {
        groups.of(name).estimate(time);
    });
    groups.table(
        &["operation"],
        Unit::Nanos,
        KernelTime::of(joined),
        |name| vec![name_cell(joined, Some(name))],
    )
}

pub(super) fn name_cell(joined: &Joined, name: Option<StringIndex>) -> Cell {
    let name = name.map_or("", |name| joined.strings.get(name));
    Cell::Text(if name.is_empty() { "(unknown)" } else { name }.to_owned())
}
