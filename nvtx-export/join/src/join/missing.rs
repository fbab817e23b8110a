//! Work that launches issued and no recorder saw.
//!
//! The runtime records how many kernels, copies and fills each launch issued. Profiles of earlier versions say only which launches have kernels:
//! those with a number of bytes, and those of the nodes of CUDA graphs. Work that has no record is counted by the reason for it, which follows from
//! what else was recorded of the process.

use crate::identify::Lookup;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use weft_model::{
    KernelKind, LaunchIndex, LossRow, Outcome, Recorder, Recording, Severity, SourceIndex,
};
use weft_trace::time::Timestamp;

/// Pieces of work of one launch.
#[derive(Clone, Copy, Default)]
struct Pieces {
    kernels: u32,
    copies: u32,
    fills: u32,
}

impl Pieces {
    fn all(self) -> u64 {
        u64::from(self.kernels) + u64::from(self.copies) + u64::from(self.fills)
    }

    fn take(&mut self, kind: KernelKind) {
        let count = match kind {
            KernelKind::Kernel => &mut self.kernels,
            KernelKind::Memcpy => &mut self.copies,
            KernelKind::Memset => &mut self.fills,
            KernelKind::Graph => return,
        };
        *count = count.saturating_sub(1);
    }
}

/// Why work has no record of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Absence {
    Graph,
    NoRecorder,
    Killed,
    Dropped,
    Ended,
    Unexplained,
}

impl Absence {
    fn name(self) -> &'static str {
        match self {
            Absence::Graph => "gpu_work_in_graphs",
            Absence::NoRecorder => "gpu_work_without_recorder",
            Absence::Killed => "gpu_work_not_delivered",
            Absence::Dropped => "gpu_work_dropped",
            Absence::Ended => "gpu_work_after_recording",
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
            Absence::NoRecorder => {
                "kernels, copies and fills on GPUs that no tool recorded: CUPTI did not record in the process, and no recording of Nsight Systems of it was read"
            }
            Absence::Killed => {
                "kernels, copies and fills on GPUs without a record: the process ended before CUPTI delivered them"
            }
            Absence::Dropped => {
                "kernels, copies and fills on GPUs without a record, in a recording that is known to have lost some"
            }
            Absence::Ended => {
                "kernels, copies and fills on GPUs without a record: they were issued after the last one that was recorded of the process"
            }
            Absence::Unexplained => {
                "kernels, copies and fills on GPUs without a record, though others of the same time were recorded"
            }
        }
    }
}

/// What is recorded of the GPU work of one process.
#[derive(Default)]
struct Seen {
    last: Option<Timestamp>,
    by_nsys: bool,
}

/// Counts the missing work of each source, by its reason.
pub(super) fn count(
    recording: &mut Recording,
    outcomes: &[Outcome],
    lookup: &Lookup,
    lossy: &[SourceIndex],
) {
    let mut expected = expected(recording, lookup);
    if expected.is_empty() {
        return;
    }
    let mut seen: FxHashMap<SourceIndex, Seen> = FxHashMap::default();
    let mut whole: FxHashSet<u32> = FxHashSet::default();
    for (kernel, outcome) in recording.devices.kernels.iter().zip(outcomes) {
        if kernel.recorder == Recorder::Host {
            continue;
        }
        let Outcome::Linked { launch, .. } = *outcome else {
            continue;
        };
        if let Some(row) = recording.work.launches.get(launch.0 as usize) {
            let seen = seen.entry(row.source).or_default();
            seen.last = seen.last.max(Some(kernel.end));
            seen.by_nsys |= kernel.recorder == Recorder::Nsys;
        }
        if kernel.kind == KernelKind::Graph {
            whole.insert(launch.0);
        }
        if let Some(pieces) = expected.get_mut(&launch.0) {
            pieces.take(kernel.kind);
        }
    }
    let in_graphs: FxHashSet<u32> = recording
        .devices
        .graph_nodes
        .iter()
        .filter(|node| {
            let replay = lookup.index.launch(node.source, node.replay);
            replay.is_some_and(|replay| whole.contains(&replay.0))
        })
        .filter_map(|node| lookup.index.launch(node.source, node.launch))
        .map(|launch| launch.0)
        .collect();
    let mut missing: BTreeMap<(SourceIndex, Absence), u64> = BTreeMap::new();
    for (launch, pieces) in expected.into_iter().filter(|(_, pieces)| pieces.all() > 0) {
        let Some(row) = recording.work.launches.get(launch as usize) else {
            continue;
        };
        let source = row.source;
        let has_cupti = recording.devices.cupti_sources.contains(&source);
        let absence = match seen.get(&source) {
            _ if in_graphs.contains(&launch) => Absence::Graph,
            None if has_cupti => Absence::Killed,
            None => Absence::NoRecorder,
            _ if lossy.contains(&source) => Absence::Dropped,
            Some(seen) if seen.last < Some(row.start) => match has_cupti && !seen.by_nsys {
                true => Absence::Killed,
                false => Absence::Ended,
            },
            Some(_) => Absence::Unexplained,
        };
        *missing.entry((source, absence)).or_default() += pieces.all();
    }
    for ((source, absence), value) in missing {
        recording.quality.losses.push(LossRow {
            source: Some(source),
            name: absence.name().to_owned(),
            severity: absence.severity(),
            value,
            meaning: absence.meaning().to_owned(),
        });
    }
}

/// The work that each launch issued, by its row.
fn expected(recording: &Recording, lookup: &Lookup) -> FxHashMap<u32, Pieces> {
    let devices = &recording.devices;
    let row = |source, uid| lookup.index.launch(source, uid).map(|LaunchIndex(row)| row);
    let mut expected: FxHashMap<u32, Pieces> = FxHashMap::default();
    for work in &devices.launch_work {
        if let Some(row) = row(work.source, work.launch) {
            let pieces = expected.entry(row).or_default();
            pieces.kernels += work.kernels;
            pieces.copies += work.copies;
            pieces.fills += work.fills;
        }
    }
    let with_bytes = devices
        .launch_bytes
        .iter()
        .map(|bytes| (bytes.source, bytes.launch));
    let of_nodes = devices
        .graph_nodes
        .iter()
        .map(|node| (node.source, node.launch));
    for (source, uid) in with_bytes.chain(of_nodes) {
        if let Some(row) = row(source, uid) {
            expected.entry(row).or_insert(Pieces {
                kernels: 1,
                ..Pieces::default()
            });
        }
    }
    expected
}
