//! The rows of a report: processors, CUDA streams, channels and memories, each with its items in
//! the order of time.

use super::events::{Events, Item};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use weft_model::rows::{Row as TraceRow, Shows, channel_name};
use weft_model::{End, RunIndex, SourceIndex, Trace};
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::time::Timestamp;

/// The kind of a row. Each family is an NVTX domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Family {
    Processor,
    Stream,
    Channel,
    Memory,
}

impl Family {
    /// Returns the domain. It differs from the domain `weft` of the runtime's own ranges, whose
    /// payloads are plain UIDs.
    pub(super) const fn domain(self) -> &'static std::ffi::CStr {
        match self {
            Family::Processor => c"weft.processor",
            Family::Stream => c"weft.stream",
            Family::Channel => c"weft.channel",
            Family::Memory => c"weft.memory",
        }
    }
}

/// A row.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) family: Family,
    /// The scope, outermost first: the rank (after the run, if there are several), the kind, the
    /// row itself.
    pub(super) scope: Vec<String>,
    /// The number of nodes in the scope that name the rank.
    pub(super) rank_nodes: usize,
    /// Whether overlapping events always lie within each other.
    pub(super) nested: bool,
    /// The items, by start. At equal starts, longer ones come first.
    pub(super) items: Vec<Item>,
}

impl Row {
    /// Returns the last node of the scope.
    pub(super) fn name(&self) -> &str {
        self.scope.last().map_or("", String::as_str)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    Processor(ProcessorId),
    Stream {
        device: Option<i64>,
        stream: Option<i64>,
    },
    Channel {
        from: Option<End>,
        to: End,
    },
    Memory(MemoryId),
}

impl Lane {
    /// Returns the row for the content of a lane; `None` if it is not drawn.
    fn from_content(shows: Shows) -> Option<Lane> {
        match shows {
            Shows::Processor(_, id) | Shows::RuntimeCalls(_, id) => Some(Lane::Processor(id)),
            Shows::Stream([device, _, stream]) => Some(Lane::Stream { device, stream }),
            Shows::Channel(from, to) => Some(Lane::Channel { from, to }),
            Shows::Memory(_, id) => Some(Lane::Memory(id)),
            Shows::Device(..)
            | Shows::Partitioning(_)
            | Shows::Ranges(..)
            | Shows::ApiCalls(..)
            | Shows::Overheads(..) => None,
        }
    }

    const fn family(self) -> Family {
        match self {
            Lane::Processor(_) => Family::Processor,
            Lane::Stream { .. } => Family::Stream,
            Lane::Channel { .. } => Family::Channel,
            Lane::Memory(_) => Family::Memory,
        }
    }
}

/// The key by which rows are sorted: rows of a rank are next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RowKey {
    run: RunIndex,
    rank: Option<u16>,
    source: SourceIndex,
    lane: Lane,
}

/// Returns all rows. Kernels of sources that are `held` are left out because the merged report
/// already has them.
pub(super) fn rows(events: &Events<'_>, held: impl Fn(SourceIndex) -> bool) -> Vec<Row> {
    let trace = events.trace;
    let sources = (0..trace.sources.len() as u32).map(SourceIndex);
    let held: Vec<bool> = sources.map(held).collect();
    let mut lanes: BTreeMap<RowKey, Vec<Item>> = BTreeMap::new();
    let mut put = |source: SourceIndex, rank: Option<u16>, lane: Lane, item: Item| {
        let of_source = trace.sources.get(source.0 as usize);
        let key = RowKey {
            run: trace.run_of(source),
            rank: rank.or(of_source.and_then(|source| source.rank)),
            source,
            lane,
        };
        lanes.entry(key).or_default().push(item);
    };
    let all = events.rows();
    // Device work, ranges, API calls and overheads are in the report that Nsight Systems recorded.
    let last = Timestamp::from_nanos_since_session_start(events.last());
    let placed = all.tasks().chain(all.launches()).chain(all.kernels());
    let placed = placed.chain(all.runtime_calls()).chain(all.waits());
    for placed in placed.chain(all.copies()).chain(all.instances(last)) {
        let (mut rank, item) = (None, Item::from_row(placed.row));
        match placed.row {
            TraceRow::Launch(row) => {
                let launch = trace.work.launches.get(row as usize);
                if launch.is_some_and(|launch| events.serves_known(launch)) {
                    continue;
                }
            }
            TraceRow::Kernel(row) => {
                if held.get(placed.source.0 as usize) == Some(&true) {
                    continue;
                }
                rank = trace
                    .devices
                    .kernels
                    .get(row as usize)
                    .and_then(|row| row.rank);
            }
            _ => {}
        }
        if let Some((lane, item)) = Lane::from_content(placed.shows).zip(item) {
            put(placed.source, rank, lane, item);
        }
    }
    let several_runs = several_runs(trace);
    let mut taken = FxHashSet::default();
    lanes
        .into_iter()
        .map(|(key, items)| row(events, key, items, several_runs, &mut taken))
        .collect()
}

fn several_runs(trace: &Trace) -> bool {
    let mut runs = trace
        .sources
        .iter()
        .filter_map(|source| source.run_id.as_deref());
    runs.next()
        .is_some_and(|first| runs.any(|run| run != first))
}

fn row(
    events: &Events<'_>,
    key: RowKey,
    mut items: Vec<Item>,
    several_runs: bool,
    taken: &mut FxHashSet<Vec<String>>,
) -> Row {
    let mut scope = Vec::with_capacity(4);
    let source = events.trace.sources.get(key.source.0 as usize);
    if several_runs {
        let run = source.and_then(|source| source.run_id.as_deref());
        // Names shorter than a hash are not cut.
        let run = run.map_or("unknown", |run| run.get(..8).unwrap_or(run));
        scope.push(format!("run {run}"));
    }
    scope.push(match key.rank {
        Some(rank) => format!("rank {rank}"),
        None => format!("source {}", key.source.id()),
    });
    let rank_nodes = scope.len();
    let (kind, name) = names(events, key);
    scope.extend([kind, name]);
    if taken.contains(&scope)
        && let Some(name) = scope.last_mut()
    {
        name.push_str(&format!(" of source {}", key.source.id()));
    }
    taken.insert(scope.clone());
    items.sort_by_cached_key(|item| {
        let times = events.times(*item);
        (times.start, Reverse(times.end), *item)
    });
    Row {
        family: key.lane.family(),
        scope,
        rank_nodes,
        nested: is_nested(events, &items),
        items,
    }
}

/// Returns the kind of a row, and its own name.
fn names(events: &Events<'_>, key: RowKey) -> (String, String) {
    let memory = |id: MemoryId| events.memory_name(key.source, id);
    match key.lane {
        Lane::Processor(id) => {
            let kind = events.processor_kind(key.source, id);
            (kind.to_owned(), events.processor_name(key.source, id))
        }
        Lane::Stream { device, stream } => {
            let part = |name: &str, id: Option<i64>| match id {
                Some(id) => format!("{name} {id}"),
                None => format!("unknown {name}"),
            };
            let name = format!("{}, {}", part("device", device), part("stream", stream));
            ("CUDA".to_owned(), name)
        }
        Lane::Channel { from, to } => {
            let end = |end: End| end.name(|source, memory| events.memory_name(source, memory));
            let name = channel_name(from.map(end).as_deref(), &end(to));
            ("channels".to_owned(), name)
        }
        Lane::Memory(id) => ("memories".to_owned(), memory(id)),
    }
}

/// Returns whether each of the sorted events ends within all events that are open at its start.
fn is_nested(events: &Events<'_>, items: &[Item]) -> bool {
    let mut open: Vec<i64> = Vec::new();
    items.iter().all(|item| {
        let times = events.times(*item);
        while open.last().is_some_and(|end| *end <= times.start) {
            open.pop();
        }
        let fits = open.last().is_none_or(|end| times.end <= *end);
        open.push(times.end);
        fits
    })
}
