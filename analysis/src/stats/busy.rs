//! Times in which processors and devices worked.
//!
//! A processor works while it runs tasks, a GPU while it runs kernels, copies and fills. Tasks of a
//! GPU only issue its work, and do not show when it ran. The view `weft_busy` of the SQLite output
//! uses the same definition.

use rustc_hash::FxHashMap;
use weft_model::{Gpus, SourceIndex, Trace};
use weft_trace::id::ProcessorId;
use weft_trace::record::ProcessorKind;

/// A processor or device, which can work or be idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Worker {
    Processor(SourceIndex, ProcessorId),
    /// A CUDA device, by the number from its recorder, if its processor is not known.
    Device(SourceIndex, i64),
}

impl Worker {
    pub(super) const fn source(self) -> SourceIndex {
        match self {
            Worker::Processor(source, _) | Worker::Device(source, _) => source,
        }
    }
}

/// A piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    /// A row of [`Work::tasks`](weft_model::Work::tasks).
    Task(u32),
    /// A row of [`Devices::kernels`](weft_model::Devices::kernels).
    Kernel(u32),
}

/// An interval in which a worker worked, in ns on the clock of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Busy {
    pub(super) worker: Worker,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) work: Work,
}

/// Returns all intervals of work, by worker and start.
pub(super) fn busy(trace: &Trace) -> Vec<Busy> {
    let kinds: FxHashMap<(SourceIndex, ProcessorId), ProcessorKind> =
        (trace.machine.processors.iter())
            .map(|row| ((row.source, row.id), row.kind))
            .collect();
    let gpus = Gpus::new(trace);
    let processor = |source, id| {
        let (source, id) = gpus.processor((source, id));
        Worker::Processor(source, id)
    };
    let tasks = (0..).zip(&trace.work.tasks).filter_map(|(row, task)| {
        let key = (task.source, task.processor);
        let (start, end) = match kinds.get(&key) {
            Some(ProcessorKind::Gpu) => task.device?,
            _ => (task.start, task.end),
        };
        Some(Busy {
            worker: processor(task.source, task.processor),
            start: start.nanos(),
            end: end.nanos(),
            work: Work::Task(row),
        })
    });
    let kernels = (0..)
        .zip(&trace.devices.kernels)
        .filter_map(|(row, kernel)| {
            let device = kernel.device?;
            Some(Busy {
                worker: match kernel.processor {
                    Some(id) => processor(kernel.source, id),
                    None => Worker::Device(kernel.source, device),
                },
                start: kernel.start.nanos(),
                end: kernel.end.nanos(),
                work: Work::Kernel(row),
            })
        });
    let mut busy: Vec<Busy> = tasks.chain(kernels).collect();
    busy.sort_unstable();
    busy
}

/// Returns the first start and the last end of any work of each source.
pub(super) fn spans(busy: &[Busy]) -> FxHashMap<SourceIndex, (i64, i64)> {
    let mut spans: FxHashMap<SourceIndex, (i64, i64)> = FxHashMap::default();
    for row in busy {
        let (first, last) = spans
            .entry(row.worker.source())
            .or_insert((row.start, row.end));
        *first = row.start.min(*first);
        *last = row.end.max(*last);
    }
    spans
}
