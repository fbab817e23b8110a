//! Statistics by processor and memory.

use super::cost::{Cost, Times};
use super::groups::{Groups, KernelTime};
use rustc_hash::FxHashMap;
use weft_model::table::{Cell, Table, Unit};
use weft_model::{Gpus, Index, Outcome, RecordKind, SourceIndex, Trace};
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::record::MemoryKind;

pub(super) fn rank(trace: &Trace, source: SourceIndex) -> Cell {
    let rank = trace
        .sources
        .get(source.0 as usize)
        .and_then(|source| source.rank);
    rank.map_or(Cell::Null, |rank| Cell::Integer(rank.into()))
}

/// The place where work ran.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Worker {
    Processor(ProcessorId),
    /// A device without known tasks.
    Device(Option<i64>),
}

/// Returns tasks by processor, and kernels without a task by device.
pub(super) fn by_processor(trace: &Trace) -> Table {
    let index = Index::new(trace);
    let cost = Cost::new(trace, &index);
    let mut groups = Groups::new().with_issue();
    let gpus = Gpus::new(trace);
    for (task, times) in trace.work.tasks.iter().zip(&cost.tasks) {
        let (source, processor) = gpus.processor((task.source, task.processor));
        let sum = groups.entry((source, Worker::Processor(processor)));
        // Times of tasks that overlap on a processor count once.
        let once = Times {
            own: times.own - times.nested,
            nested: 0,
            ..*times
        };
        sum.add_times(&once, false);
    }
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        if matches!(outcome, Outcome::Linked { .. }) {
            continue;
        }
        let time = (kernel.end - kernel.start).0;
        if let Some(processor) = kernel.processor {
            let (source, processor) = gpus.processor((kernel.source, processor));
            groups
                .entry((source, Worker::Processor(processor)))
                .kernel_time += time as f64;
        } else {
            let place = Worker::Device(kernel.device);
            groups
                .entry((kernel.source, place))
                .add_work(time, time as f64);
        }
    }
    for row in &trace.quality.untimed {
        let place = match (row.kind, row.processor) {
            (RecordKind::Task, Some(processor)) => {
                let (source, processor) = gpus.processor((row.source, processor));
                (source, Worker::Processor(processor))
            }
            (kind, None) if kind.kernel().is_some() && row.device.is_some() => {
                (row.source, Worker::Device(row.device))
            }
            _ => continue,
        };
        groups.entry(place).add_untimed();
    }
    let names: FxHashMap<_, _> = trace
        .machine
        .processors
        .iter()
        .map(|processor| {
            (
                (processor.source, processor.id),
                trace.strings.get(processor.name),
            )
        })
        .collect();
    groups.table(
        &["rank", "processor"],
        Unit::Nanos,
        KernelTime::new(trace),
        |(source, place)| {
            let name = match place {
                Worker::Processor(processor) => names.get(&(source, processor)).map_or_else(
                    || format!("processor {processor}"),
                    |name| (*name).to_owned(),
                ),
                Worker::Device(device) => of_session(trace, source, device_name(device)),
            };
            vec![rank(trace, source), Cell::Text(name)]
        },
    )
}

/// Returns a name with its session, if there are several: equal numbers in two sessions may be
/// different devices.
fn of_session(trace: &Trace, source: SourceIndex, name: String) -> String {
    let row = trace.sources.get(source.0 as usize);
    let path = row
        .filter(|_| trace.devices.sessions.len() > 1)
        .map(|row| &row.path);
    match path.and_then(|path| path.file_name()) {
        Some(file) => format!("{name} of {}", file.to_string_lossy()),
        None => name,
    }
}

/// Returns a CUDA device by its number.
pub(super) fn device_name(device: Option<i64>) -> String {
    device.map_or_else(|| "GPU".to_owned(), |device| format!("GPU {device}"))
}

pub(super) fn memories(trace: &Trace) -> FxHashMap<(SourceIndex, MemoryId), MemoryKind> {
    let rows = trace.machine.memories.iter();
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

/// The use of a memory.
#[derive(Clone, Copy, Default)]
struct Use {
    capacity: Option<u64>,
    /// The bytes in use at the end.
    live: i128,
    /// The recorded peak, if any.
    peak: Option<u64>,
    /// The fraction of free bytes outside of the largest block at the time of the peak.
    fragmentation: Option<f64>,
}

fn uses(trace: &Trace) -> FxHashMap<(SourceIndex, MemoryId), Use> {
    let mut uses: FxHashMap<(SourceIndex, MemoryId), Use> = FxHashMap::default();
    for memory in &trace.machine.memories {
        let known = uses.entry((memory.source, memory.id)).or_default();
        known.capacity = Some(memory.capacity);
    }
    let mut changes: Vec<_> = Vec::with_capacity(2 * trace.work.instances.len());
    for instance in &trace.work.instances {
        let key = (instance.source, instance.memory);
        let bytes = i128::from(instance.bytes);
        changes.push((key, instance.created, bytes));
        if let Some(destroyed) = instance.destroyed {
            changes.push((key, destroyed.max(instance.created), -bytes));
        }
    }
    changes.sort_unstable();
    for changes in changes.chunk_by(|a, b| a.0 == b.0) {
        let Some((key, ..)) = changes.first() else {
            continue;
        };
        let known = uses.entry(*key).or_default();
        let mut peak = 0;
        for (_, _, bytes) in changes {
            known.live += bytes;
            peak = peak.max(known.live);
        }
        known.peak = u64::try_from(peak).ok();
    }
    let mut most: FxHashMap<(SourceIndex, MemoryId), u64> = FxHashMap::default();
    for used in &trace.work.memory_uses {
        let key = (used.source, used.memory);
        let known = uses.entry(key).or_default();
        // The pool also counts memory that is not in instances.
        known.peak = known.peak.max(Some(used.peak));
        let most = most.entry(key).or_default();
        if used.live >= *most {
            *most = used.live;
            let free = known.capacity.unwrap_or(0).saturating_sub(used.live);
            known.fragmentation = Some(match free {
                0 => 0.0,
                free => 1.0 - used.largest_free as f64 / free as f64,
            });
        }
    }
    uses
}

pub(super) fn by_memory(trace: &Trace) -> Table {
    let mut groups = Groups::new().with_columns(&[
        ("peak", Unit::Bytes),
        ("live", Unit::Bytes),
        ("capacity", Unit::Bytes),
        ("fragmentation", Unit::Share),
    ]);
    for instance in &trace.work.instances {
        let bytes = i64::try_from(instance.bytes).unwrap_or(i64::MAX);
        groups.entry((instance.source, instance.memory)).add(bytes);
    }
    let names = memories(trace);
    let uses = uses(trace);
    let cell = |bytes: Option<u64>| {
        bytes.map_or(Cell::Null, |bytes| {
            Cell::Integer(i64::try_from(bytes).unwrap_or(i64::MAX))
        })
    };
    groups.table(
        &["rank", "memory"],
        Unit::Bytes,
        KernelTime::NotShown,
        |key| {
            let used = uses.get(&key).copied().unwrap_or_default();
            vec![
                rank(trace, key.0),
                Cell::Text(memory_name(&names, key)),
                cell(used.peak),
                cell(u64::try_from(used.live).ok()),
                cell(used.capacity),
                used.fragmentation.map_or(Cell::Null, Cell::Real),
            ]
        },
    )
}
