//! Rows of the joined trace, grouped by the rows that they belong to, in a defined order.

use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::{
    Copy, Index, Kernel, LaunchIndex, Memory, Method, Outcome, Processor, RunIndex, Served,
    SourceIndex, Task, Trace,
};
use weft_trace::id::{MemoryId, ProcessorId, Uid};

pub(super) struct Rows<'a> {
    /// Tasks by the row of their operation; `None` if unknown.
    pub(super) tasks: FxHashMap<Option<usize>, Vec<&'a Task>>,
    pub(super) copies: FxHashMap<Option<usize>, Vec<&'a Copy>>,
    /// The launches of a task or copy, with its shares.
    pub(super) launches: FxHashMap<(RunIndex, Uid), Vec<(LaunchIndex, f64)>>,
    /// Launches with kernels but without a known task or copy.
    pub(super) alone: Vec<LaunchIndex>,
    pub(super) kernels: FxHashMap<LaunchIndex, Vec<(&'a Kernel, Method)>>,
    pub(super) processors: FxHashMap<(SourceIndex, ProcessorId), &'a Processor>,
    pub(super) memories: FxHashMap<(SourceIndex, MemoryId), &'a Memory>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        let index = Index::new(trace);
        let mut tasks: FxHashMap<_, Vec<&Task>> = FxHashMap::default();
        for task in &trace.work.tasks {
            let row = index.operation(task.source, task.operation);
            tasks.entry(row).or_default().push(task);
        }
        for list in tasks.values_mut() {
            list.sort_by_key(|task| (task.source, task.point, task.uid));
        }
        let mut copies: FxHashMap<_, Vec<&Copy>> = FxHashMap::default();
        for copy in &trace.work.copies {
            let row = index.operation(copy.source, copy.operation);
            copies.entry(row).or_default().push(copy);
        }
        for list in copies.values_mut() {
            list.sort_by_key(|copy| (copy.source, copy.start, copy.uid, copy.from, copy.to));
        }
        let kernels = kernels(trace);
        let (launches, alone) = launches(trace, &index, &kernels);
        let processors = trace.machine.processors.iter();
        let memories = trace.machine.memories.iter();
        Rows {
            tasks,
            copies,
            launches,
            alone,
            kernels,
            processors: processors.map(|row| ((row.source, row.id), row)).collect(),
            memories: memories.map(|row| ((row.source, row.id), row)).collect(),
        }
    }
}

type Launches = FxHashMap<(RunIndex, Uid), Vec<(LaunchIndex, f64)>>;
type Kernels<'a> = FxHashMap<LaunchIndex, Vec<(&'a Kernel, Method)>>;

fn launches(trace: &Trace, index: &Index, kernels: &Kernels<'_>) -> (Launches, Vec<LaunchIndex>) {
    let mut launches: Launches = FxHashMap::default();
    let mut shown = FxHashSet::default();
    for (row, launch) in (0..).map(LaunchIndex).zip(&trace.work.launches) {
        for (uid, share) in launch.served() {
            let known = matches!(
                index.served(launch.source, uid),
                Some(Served::Task(_) | Served::Copy(_))
            );
            if known {
                shown.insert(row);
            }
            let list = launches.entry((launch.run, uid)).or_default();
            list.push((row, share));
        }
    }
    let uid = |row: LaunchIndex| {
        let launch = trace.work.launches.get(row.0 as usize);
        launch.map(|launch| (launch.source, launch.uid))
    };
    for list in launches.values_mut() {
        list.sort_by_key(|(row, _)| uid(*row));
    }
    let rest = kernels.keys().filter(|row| !shown.contains(*row));
    let mut alone: Vec<LaunchIndex> = rest.copied().collect();
    alone.sort_by_key(|row| (uid(*row), *row));
    (launches, alone)
}

fn kernels(trace: &Trace) -> Kernels<'_> {
    let mut kernels: Kernels<'_> = FxHashMap::default();
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        if let Outcome::Linked { launch, method } = outcome {
            kernels.entry(*launch).or_default().push((kernel, *method));
        }
    }
    for list in kernels.values_mut() {
        list.sort_by_key(|(kernel, _)| {
            let name = trace.strings.get(kernel.name);
            (kernel.start, kernel.end, kernel.correlation, name)
        });
    }
    kernels
}
