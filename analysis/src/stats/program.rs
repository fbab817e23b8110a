//! Statistics by task and operation.

use super::cost::{self, Cost, Times};
use super::groups::{Groups, KernelTime};
use super::untimed;
use rustc_hash::FxHashMap;
use weft_model::table::{Cell, Table, Unit};
use weft_model::{Index, RecordKind, Served, SourceIndex, StringIndex, Task, Trace};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::ProcessorKind;

fn operation(trace: &Trace, index: &Index, source: SourceIndex, uid: Uid) -> Option<usize> {
    index
        .operation(source, uid)
        .filter(|row| *row < trace.program.operations.len())
}

/// Returns the row of the operation that a task or copy belongs to.
pub(crate) fn operation_of(trace: &Trace, index: &Index, served: Served) -> Option<usize> {
    let (source, uid) = match served {
        Served::Task(row) => {
            let task = trace.work.tasks.get(row as usize)?;
            (task.source, task.operation)
        }
        Served::Copy(row) => {
            let copy = trace.work.copies.get(row as usize)?;
            (copy.source, copy.operation)
        }
    };
    operation(trace, index, source, uid)
}

/// A task or copy with its cost.
pub(super) struct Work {
    /// The row of its operation.
    pub(super) operation: Option<usize>,
    /// Its cost.
    pub(super) times: Times,
    /// The processor that ran a task.
    pub(super) processor: Option<(SourceIndex, ProcessorId)>,
    /// The word `copy` or `fill`; `None` for a task.
    pub(super) moved: Option<&'static str>,
}

/// Returns every task and copy.
pub(super) fn work<'a>(
    trace: &'a Trace,
    index: &'a Index,
    cost: &'a Cost,
) -> impl Iterator<Item = Work> + 'a {
    let tasks = trace.work.tasks.iter().zip(&cost.tasks);
    let tasks = tasks.map(|(task, times)| Work {
        operation: operation(trace, index, task.source, task.operation),
        times: *times,
        processor: Some((task.source, task.processor)),
        moved: None,
    });
    let copies = trace.work.copies.iter().zip(&cost.copies);
    let copies = copies.map(|(copy, times)| Work {
        operation: operation(trace, index, copy.source, copy.operation),
        times: *times,
        processor: None,
        moved: Some(match (copy.from, copy.message) {
            (None, None) => "fill",
            _ => "copy",
        }),
    });
    tasks.chain(copies)
}

pub(super) fn by_task(trace: &Trace) -> Table {
    let index = Index::new(trace);
    let cost = Cost::new(trace, &index);
    let processors = trace.processors_by_id();
    let mut groups = Groups::new().with_estimates().with_nested().with_issue();
    let key = |task: &Task| {
        let row = operation(trace, &index, task.source, task.operation);
        let name = row.map(|row| trace.program.operations[row].name);
        let processor = processors.get(&(task.source, task.processor));
        let variant = processor.map(|processor| processor.kind.variant());
        (name, variant)
    };
    for (task, times) in trace.work.tasks.iter().zip(&cost.tasks) {
        groups.entry(key(task)).add_times(times, false);
    }
    for row in untimed::of_kind(trace, RecordKind::Task) {
        let uid = row.operation;
        let known = uid.and_then(|uid| operation(trace, &index, row.source, uid));
        let name = known.map(|row| trace.program.operations[row].name);
        let processor = row
            .processor
            .and_then(|id| processors.get(&(row.source, id)));
        let variant = processor.map(|processor| processor.kind.variant());
        groups.entry((name, variant)).add_untimed();
    }
    let served = |served| match served {
        Served::Task(row) => trace.work.tasks.get(row as usize).map(key),
        Served::Copy(_) => None,
    };
    cost::estimated(trace, &index, &cost, served, |key, time| {
        groups.entry(key).estimate(time);
    });
    groups.table(
        &["task", "variant"],
        Unit::Nanos,
        KernelTime::new(trace),
        |(name, variant)| {
            let variant = variant.map_or(Cell::Null, |kind| Cell::Text(kind.name().to_owned()));
            vec![name_cell(trace, name), variant]
        },
    )
}

pub(super) fn by_operation(trace: &Trace) -> Table {
    let index = Index::new(trace);
    let cost = Cost::new(trace, &index);
    // In a part of a run, all operations are kept, but only those with work in it count.
    let counts = trace.quality.part.is_none();
    let mut times = vec![(Times::default(), None, counts); trace.program.operations.len()];
    // Only the tasks of operations without a record are known.
    let mut unknown: FxHashMap<(SourceIndex, Uid), Times> = FxHashMap::default();
    for (task, times) in trace.work.tasks.iter().zip(&cost.tasks) {
        if operation(trace, &index, task.source, task.operation).is_none() {
            let sum = unknown.entry((task.source, task.operation)).or_default();
            *sum = sum.with(times);
        }
    }
    for work in work(trace, &index, &cost) {
        if let Some((times, copies, counts)) = work.operation.and_then(|row| times.get_mut(row)) {
            *counts = true;
            *times = times.with(&work.times);
            if work.moved.is_some() {
                let sum: i64 = copies.unwrap_or(0);
                *copies = Some(sum.saturating_add(work.times.own));
            }
        }
    }
    let mut groups = Groups::new()
        .with_estimates()
        .with_copies()
        .with_nested()
        .with_issue();
    let operations = trace.program.operations.iter().zip(times);
    for (operation, (times, copies, _)) in operations.filter(|(_, (.., counts))| *counts) {
        let sum = groups.entry(Some(operation.name));
        sum.add_times(&times, false);
        if let Some(copies) = copies {
            sum.add_copies(copies);
        }
    }
    for times in unknown.values() {
        groups.entry(None).add_times(times, false);
    }
    let untimed = [RecordKind::Task, RecordKind::Copy].map(|kind| untimed::of_kind(trace, kind));
    for row in untimed.into_iter().flatten() {
        let uid = row.operation;
        let known = uid.and_then(|uid| operation(trace, &index, row.source, uid));
        groups
            .entry(known.map(|row| trace.program.operations[row].name))
            .add_untimed();
    }
    let name = |served| {
        let row = operation_of(trace, &index, served)?;
        trace
            .program
            .operations
            .get(row)
            .map(|operation| Some(operation.name))
    };
    cost::estimated(trace, &index, &cost, name, |name, time| {
        groups.entry(name).estimate(time);
    });
    groups.table(
        &["operation"],
        Unit::Nanos,
        KernelTime::new(trace),
        |name| vec![name_cell(trace, name)],
    )
}

pub(super) fn name_cell(trace: &Trace, name: Option<StringIndex>) -> Cell {
    let name = name.map_or("", |name| trace.strings.get(name));
    Cell::Text(if name.is_empty() { "(unknown)" } else { name }.to_owned())
}

/// The work of an operation. Times are in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct OperationTimes {
    /// The number of its tasks.
    pub(crate) tasks: u64,
    /// The number of its copies and fills.
    pub(crate) copies: u64,
    /// The number of bytes that the copies moved.
    pub(crate) copied_bytes: u64,
    /// The time of tasks and copies, by their shares of launches: device time if known.
    pub(crate) own_ns: i64,
    /// The time of their kernels; `None` if the trace has no kernels.
    pub(crate) kernels_ns: Option<f64>,
}

impl OperationTimes {
    /// Returns the time of its tasks and copies, in ns.
    pub(crate) const fn cost_ns(&self) -> i64 {
        self.own_ns
    }
}

/// Work that does not count for an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnattributedWork {
    /// The number of tasks and copies.
    pub(crate) count: u64,
    /// The time of the tasks, in ns.
    pub(crate) own_ns: i64,
}

/// Returns the work of each row of [`Program::operations`](weft_model::Program::operations), and
/// the rest: work of operations without a record, and the program itself, which some runtimes
/// record as a task.
pub(crate) fn operation_times(
    trace: &Trace,
    index: &Index,
) -> (Vec<OperationTimes>, UnattributedWork) {
    let cost = Cost::new(trace, index);
    let has_kernels =
        !trace.devices.kernels.is_empty() || trace.work.tasks.iter().any(|t| t.device.is_some());
    let none = OperationTimes {
        kernels_ns: has_kernels.then_some(0.0),
        ..OperationTimes::default()
    };
    let mut sums = vec![none; trace.program.operations.len()];
    let mut rest = UnattributedWork::default();
    let processors = trace.processors_by_id();
    let bytes = trace.work.tasks.iter().map(|_| 0);
    let bytes = bytes.chain(trace.work.copies.iter().map(|copy| copy.bytes));
    for (work, bytes) in work(trace, index, &cost).zip(bytes) {
        let operation = work
            .operation
            .and_then(|row| trace.program.operations.get(row));
        let processor = work.processor.and_then(|key| processors.get(&key));
        let is_program = processor.is_some_and(|row| row.kind == ProcessorKind::Program)
            && operation.is_none_or(|operation| operation.provenance.0 == 0);
        let sum = work.operation.and_then(|row| sums.get_mut(row));
        let Some(sum) = sum.filter(|_| !is_program) else {
            rest.count += 1;
            rest.own_ns = rest.own_ns.saturating_add(work.times.own);
            continue;
        };
        match work.moved {
            Some(_) => sum.copies += 1,
            None => sum.tasks += 1,
        }
        sum.copied_bytes = sum.copied_bytes.saturating_add(bytes);
        sum.own_ns = sum.own_ns.saturating_add(work.times.own);
        if let Some(kernels) = &mut sum.kernels_ns {
            *kernels += work.times.kernels;
        }
    }
    (sums, rest)
}
