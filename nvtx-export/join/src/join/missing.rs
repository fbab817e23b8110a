//! Work that launches issued but no recorder recorded.
//!
//! The runtime records the number of kernels, copies and fills of each launch. In profiles of
//! earlier versions, each launch on a GPU counts as one. Work without a record is counted by
//! reason, which follows from the other records of the process.

use crate::identify::Lookup;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use weft_model::{
    Kernel, KernelKind, Launch, LaunchIndex, LossRow, Outcome, Recorder, Recording, Severity,
    SourceIndex,
};
use weft_trace::id::Uid;
use weft_trace::record::loss;
use weft_trace::time::Timestamp;

/// The pieces of work of a launch.
#[derive(Clone, Copy, Default)]
struct Pieces {
    kernels: u32,
    copies: u32,
    fills: u32,
    /// The number of pieces whose kind the profile does not state.
    unknown: u32,
}

impl Pieces {
    fn total(self) -> u64 {
        let known = u64::from(self.kernels) + u64::from(self.copies) + u64::from(self.fills);
        known + u64::from(self.unknown)
    }

    fn take(&mut self, kind: KernelKind) {
        self.unknown = self.unknown.saturating_sub(1);
        let count = match kind {
            KernelKind::Kernel => &mut self.kernels,
            KernelKind::Memcpy => &mut self.copies,
            KernelKind::Memset => &mut self.fills,
            KernelKind::Graph => return,
        };
        *count = count.saturating_sub(1);
    }
}

/// The reason why work has no record of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Absence {
    Graph,
    Nodes,
    NoRecorder,
    Killed,
    Dropped,
    Outside,
    Unexplained,
}

impl Absence {
    fn name(self) -> &'static str {
        match self {
            Absence::Graph => "gpu_work_in_graphs",
            Absence::Nodes => "gpu_work_in_unrecorded_graphs",
            Absence::NoRecorder => "gpu_work_without_recorder",
            Absence::Killed => "gpu_work_not_delivered",
            Absence::Dropped => "gpu_work_dropped",
            Absence::Outside => "gpu_work_outside_recording",
            Absence::Unexplained => "gpu_work_unrecorded",
        }
    }

    fn severity(self) -> Severity {
        match self {
            Absence::Graph => Severity::Note,
            _ => Severity::Loss,
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Absence::Graph => {
                "kernels, copies and fills that were recorded only as parts of whole CUDA graphs"
            }
            Absence::Nodes => {
                "kernels of CUDA graphs that the recorder left out; nsys profile --cuda-graph-trace=node records them"
            }
            Absence::NoRecorder => {
                "kernels, copies and fills on GPUs that no tool recorded: CUPTI did not record in the process, and no recording of Nsight Systems of it was read"
            }
            Absence::Killed => {
                "kernels, copies and fills on GPUs without a record: CUPTI had not delivered them when the process ended"
            }
            Absence::Dropped => {
                "kernels, copies and fills on GPUs without a record, in a recording that is known to have lost some"
            }
            Absence::Outside => {
                "kernels, copies and fills on GPUs without a record: they were issued before the first recorded one of the process, or after the last"
            }
            Absence::Unexplained => {
                "kernels, copies and fills on GPUs without a record, though others of the same time were recorded"
            }
        }
    }
}

/// The recorded GPU work of one process.
#[derive(Default)]
struct RecordedWork {
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    by_nsys: bool,
    has_nodes: bool,
}

impl RecordedWork {
    fn add(&mut self, kernel: &Kernel) {
        self.first = Some(
            self.first
                .map_or(kernel.start, |first| first.min(kernel.start)),
        );
        self.last = self.last.max(Some(kernel.end));
        self.by_nsys |= kernel.recorder == Recorder::Nsys;
        self.has_nodes |= kernel.graph_node.is_some();
    }

    /// Returns whether a launch is before or after everything that was recorded.
    fn is_outside(&self, launch: &Launch) -> bool {
        self.last < Some(launch.start) || self.first.is_none_or(|first| launch.end < first)
    }
}

/// Counts the missing work of each source by reason.
pub(super) fn count(
    recording: &mut Recording,
    outcomes: &[Outcome],
    graphs: &FxHashMap<u32, u32>,
    lookup: &Lookup,
    lossy: &[SourceIndex],
) {
    let mut expected = expected(recording, lookup, graphs);
    if expected.is_empty() {
        return;
    }
    let mut seen: FxHashMap<SourceIndex, RecordedWork> = FxHashMap::default();
    let mut whole: FxHashSet<u32> = FxHashSet::default();
    // Rows without a launch, or of a launch without expected work, by the source of their process
    // if known. Each is one of the pieces that seem to be missing.
    let mut unlinked: FxHashMap<Option<SourceIndex>, u64> = FxHashMap::default();
    for (kernel, outcome) in recording.devices.kernels.iter().zip(outcomes) {
        if kernel.recorder == Recorder::Host {
            continue;
        }
        let Outcome::Linked { launch, .. } = *outcome else {
            let owner = match kernel.recorder {
                Recorder::Cupti => Some(kernel.source),
                _ => kernel
                    .process
                    .and_then(|process| lookup.owners.file_written_by(kernel.source, process)),
            };
            if let Some(owner) = owner {
                seen.entry(owner).or_default().add(kernel);
            }
            *unlinked.entry(owner).or_default() += 1;
            continue;
        };
        let source = recording
            .work
            .launches
            .get(launch.0 as usize)
            .map(|row| row.source);
        if let Some(source) = source {
            seen.entry(source).or_default().add(kernel);
        }
        if kernel.kind == KernelKind::Graph {
            whole.insert(launch.0);
        }
        // The work of a graph is expected for its replay if the runtime does not know its nodes.
        let is_expected = expected.get(&launch.0).is_some_and(|left| left.total() > 0);
        let of = match graphs.get(&launch.0) {
            Some(replay) if !is_expected => *replay,
            _ => launch.0,
        };
        match expected.get_mut(&of) {
            Some(pieces) => pieces.take(kernel.kind),
            // Kernels of a graph are linked to its replay if the recorder does not distinguish its
            // nodes.
            None if graphs.contains_key(&launch.0) => *unlinked.entry(source).or_default() += 1,
            None => {}
        }
    }
    let cupti = recorded_by_cupti(recording);
    let mut missing: BTreeMap<(SourceIndex, Absence), u64> = BTreeMap::new();
    for (launch, pieces) in expected
        .into_iter()
        .filter(|(_, pieces)| pieces.total() > 0)
    {
        let Some(row) = recording.work.launches.get(launch as usize) else {
            continue;
        };
        let source = row.source;
        let has_cupti = cupti.contains(&source);
        let graph = graphs.get(&launch);
        let absence = match seen.get(&source) {
            _ if whole.contains(&launch) => Absence::Graph,
            _ if graph.is_some_and(|graph| whole.contains(graph)) => Absence::Graph,
            _ if lossy.contains(&source) => Absence::Dropped,
            None if has_cupti => Absence::Killed,
            None => Absence::NoRecorder,
            Some(seen) if seen.is_outside(row) && has_cupti && !seen.by_nsys => Absence::Killed,
            Some(seen) if graph.is_some() && seen.by_nsys && !seen.has_nodes => Absence::Nodes,
            Some(seen) if seen.is_outside(row) => Absence::Outside,
            Some(_) => Absence::Unexplained,
        };
        *missing.entry((source, absence)).or_default() += pieces.total();
    }
    // Starting with the vaguest reason.
    for (&(source, _), value) in missing.iter_mut().rev() {
        for owner in [Some(source), None] {
            if let Some(rows) = unlinked.get_mut(&owner) {
                let taken = (*rows).min(*value);
                *rows -= taken;
                *value -= taken;
            }
        }
    }
    for ((source, absence), value) in missing.into_iter().filter(|(_, value)| *value > 0) {
        recording.quality.losses.push(LossRow {
            source: Some(source),
            name: absence.name().to_owned(),
            severity: absence.severity(),
            value,
            meaning: absence.meaning().to_owned(),
        });
    }
}

/// Returns the row of the replay for each launch that was issued as a part of a CUDA graph, and for
/// each replay itself.
///
/// The runtime records the launches of nodes if it knows the nodes' ids. Otherwise a replay is a
/// launch for tasks that have their own launches.
pub(super) fn graphs(recording: &Recording, lookup: &Lookup) -> FxHashMap<u32, u32> {
    let mut graphs = FxHashMap::default();
    let mut add = |launch: u32, replay: u32| {
        graphs.insert(launch, replay);
        graphs.insert(replay, replay);
    };
    for node in &recording.devices.graph_nodes {
        let row = |uid| lookup.index.launch(node.source, uid);
        if let (Some(launch), Some(replay)) = (row(node.launch), row(node.replay)) {
            add(launch.0, replay.0);
        }
    }
    let mut groups: FxHashMap<(SourceIndex, Uid), u32> = FxHashMap::default();
    for (row, launch) in (0_u32..).zip(recording.work.launches.iter()) {
        for &(task, _) in &launch.shares {
            let single = lookup.index.launch(launch.source, task);
            let single = single
                .map(|single| single.0)
                .filter(|single| *single != row);
            let group = groups.insert((launch.source, task), row);
            if let Some(part) = single.or(group) {
                let length = |row: u32| {
                    let launch = recording.work.launches.get(row as usize);
                    launch.map_or(0, |launch| launch.shares.len())
                };
                match length(part) <= length(row) {
                    true => add(part, row),
                    false => add(row, part),
                }
            }
        }
    }
    graphs
}

/// Returns the sources in whose processes CUPTI recorded to the end.
fn recorded_by_cupti(recording: &Recording) -> FxHashSet<SourceIndex> {
    let without = [loss::CUPTI_ABSENT.name, loss::CUPTI_HELD.name];
    let mut sources: FxHashSet<SourceIndex> =
        recording.devices.cupti_sources.iter().copied().collect();
    for row in &recording.quality.losses {
        if let (true, Some(source)) = (without.contains(&row.name.as_str()), row.source) {
            sources.remove(&source);
        }
    }
    sources
}

/// Returns the work that each launch issued, by its row.
fn expected(
    recording: &Recording,
    lookup: &Lookup,
    graphs: &FxHashMap<u32, u32>,
) -> FxHashMap<u32, Pieces> {
    let devices = &recording.devices;
    let row = |source, uid| lookup.index.launch(source, uid).map(|LaunchIndex(row)| row);
    let mut expected: FxHashMap<u32, Pieces> = FxHashMap::default();
    let mut counted: FxHashSet<SourceIndex> = FxHashSet::default();
    for work in &devices.launch_work {
        counted.insert(work.source);
        if let Some(row) = row(work.source, work.launch) {
            let pieces = expected.entry(row).or_default();
            pieces.kernels = pieces.kernels.saturating_add(work.kernels);
            pieces.copies = pieces.copies.saturating_add(work.copies);
            pieces.fills = pieces.fills.saturating_add(work.fills);
        }
    }
    let gpus: FxHashSet<_> = devices
        .gpus
        .iter()
        .map(|gpu| (gpu.source, gpu.processor))
        .collect();
    for (row, launch) in (0_u32..).zip(recording.work.launches.iter()) {
        let is_replay = graphs.get(&row) == Some(&row);
        let on_gpu = gpus.contains(&(launch.source, launch.processor));
        if on_gpu && !is_replay && !counted.contains(&launch.source) {
            let unknown = 1;
            expected.entry(row).or_insert(Pieces {
                unknown,
                ..Pieces::default()
            });
        }
    }
    expected
}
