//! By processor and memory.

use super::cost::Cost;
use super::groups::{Groups, KernelTime};
use crate::joined::{Index, Joined, Outcome, SourceIndex};
use crate::output::table::{Cell, Table, Unit};
use rustc_hash::FxHashMap;
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::record::MemoryKind;

pub(super) fn rank(joined: &Joined, source: SourceIndex) -> Cell {
    let rank = joined
        .sources
        .get(source.0 as usize)
        .and_then(|source| source.rank);
    rank.map_or(Cell::Null, |rank| Cell::Integer(rank.into()))
}

/// Where work ran.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Processor(ProcessorId),
    /// A device that no task is known to have used.
    Device(Option<i64>),
}

/// Tasks by processor; kernels without a task by device.
pub(super) fn by_processor(joined: &Joined) -> Table {
    let index = Index::of(joined);
    let cost = Cost::of(joined, &index);
    let mut groups = Groups::new();
    for (task, kernel_time) in joined.tasks.iter().zip(&cost.tasks) {
        let place = Place::Processor(task.processor);
        let sum = groups.of((task.source, place));
        sum.add_work((task.end - task.start).0, *kernel_time);
    }
    for (kernel, outcome) in joined.kernels.iter().zip(&joined.outcomes) {
        if matches!(outcome, Outcome::Linked { .. }) {
            continue;
        }
        let time = (kernel.end - kernel.start).0;
        if let Some(processor) = kernel.processor {
            let place = Place::Processor(processor);
            groups.of((kernel.source, place)).kernel_time += time as f64;
        } else {
            let place = Place::Device(kernel.device);
            groups
                .of((kernel.source, place))
                .add_work(time, time as f64);
        }
    }
    let names: FxHashMap<_, _> = joined
        .processors
        .iter()
        .map(|processor| {
            (
                (processor.source, processor.id),
                joined.strings.get(processor.name),
            )
        })
        .collect();
    groups.table(
        &["rank", "processor"],
        Unit::Nanos,
        KernelTime::of(joined),
        |(source, place)| {
            let name = match place {
                Place::Processor(processor) => names.get(&(source, processor)).map_or_else(
                    || format!("processor {processor}"),
                    |name| (*name).to_owned(),
                ),
                Place::Device(device) => device_name(device),
            };
            vec![rank(joined, source), Cell::Text(name)]
        },
    )
}

/// A CUDA device by its number.
pub(super) fn device_name(device: Option<i64>) -> String {
    device.map_or_else(|| "GPU".to_owned(), |device| format!("GPU {device}"))
}

pub(super) fn memories(joined: &Joined) -> FxHashMap<(SourceIndex, MemoryId), MemoryKind> {
    let rows = joined.memories.iter();
    rows.map(|memory| ((memory.source, memory.id), memory.kind))
        .collect()
}

pub(super) fn memory_name(
    names: &FxHashMap<(SourceIndex, MemoryId), MemoryKind>,
    key: (SourceIndex, MemoryId),
) -> String {
    match names.get(&key) {
        Some(kind) => format!("{kind} {}", key.1),
        None => format!("memory {}", key.1),
    }
}

pub(super) fn by_memory(joined: &Joined) -> Table {
    let mut groups = Groups::new();
    for instance in &joined.instances {
        let bytes = i64::try_from(instance.bytes).unwrap_or(i64::MAX);
        groups.of((instance.source, instance.memory)).add(bytes);
    }
    let names = memories(joined);
    groups.table(
        &["rank", "memory"],
        Unit::Bytes,
        KernelTime::NotShown,
        |key| vec![rank(joined, key.0), Cell::Text(memory_name(&names, key))],
    )
}
