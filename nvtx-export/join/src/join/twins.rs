//! Removal of duplicate records of work that both CUPTI in the process and Nsight Systems recorded.

use crate::identify::Owners;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::{Kernel, KernelKind, Recorder, Recording, SourceIndex};

/// The removed records of the session, by the row of CUPTI's record that was kept.
pub(super) type Twins = FxHashMap<u32, Kernel>;

/// Removes Nsight Systems' records of work that CUPTI also recorded: with the same kind, name,
/// correlation id and graph node in the same process, and at the same time up to the error of the
/// clocks. CUPTI's row is kept because it has the external id.
pub(super) fn fold(recording: &mut Recording, owners: &Owners) -> Twins {
    let is_cupti = |kernel: &Kernel| kernel.recorder == Recorder::Cupti;
    if !recording.devices.kernels.iter().any(is_cupti) {
        return Twins::default();
    }
    let mut seen: FxHashMap<(SourceIndex, i64, i64), Vec<u32>> = FxHashMap::default();
    for (row, kernel) in (0..).zip(&recording.devices.kernels) {
        let key = (kernel.source, kernel.process, kernel.correlation);
        if let (Recorder::Nsys, (source, Some(process), Some(correlation))) = (kernel.recorder, key)
            && owners.file_written_by(source, process).is_some()
        {
            let rows = seen.entry((source, process, correlation)).or_default();
            rows.push(row);
        }
    }
    let mut gone: FxHashSet<u32> = FxHashSet::default();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (row, kernel) in (0..).zip(&recording.devices.kernels) {
        let (true, Some(correlation)) = (is_cupti(kernel), kernel.correlation) else {
            continue;
        };
        for &(session, process) in owners.processes(kernel.source) {
            let rows = seen.get(&(session, process, correlation));
            let rows = rows.map_or(&[][..], |rows| rows).iter();
            let alike = rows.filter(|row| !gone.contains(row)).filter_map(|row| {
                let other = recording.devices.kernels.get(*row as usize)?;
                let apart = other.start.nanos().abs_diff(kernel.start.nanos());
                let most = tolerance(recording, kernel.source, session);
                let alike = match other.kind {
                    // The session recorded the whole graph, and CUPTI in the process its nodes.
                    KernelKind::Graph => is_within(kernel, other, most),
                    _ => apart <= most && is_same_work(recording, kernel, other),
                };
                alike.then_some((apart, *row))
            });
            if let Some((_, twin)) = alike.min() {
                gone.insert(twin);
                pairs.push((row, twin));
                break;
            }
        }
    }
    if gone.is_empty() {
        return Twins::default();
    }
    // The new indices of rows after the removal.
    let mut gone: Vec<u32> = gone.into_iter().collect();
    gone.sort_unstable();
    let moved = |row: u32| row - gone.partition_point(|gone| *gone < row) as u32;
    let twin = |&(row, twin): &(u32, u32)| {
        Some((moved(row), *recording.devices.kernels.get(twin as usize)?))
    };
    let twins = pairs.iter().filter_map(twin).collect();
    let mut row = 0..;
    recording.devices.kernels.retain(|_| {
        row.next()
            .is_none_or(|row| gone.binary_search(&row).is_err())
    });
    twins
}

/// Returns the largest difference between two records of one kernel, in ns.
fn tolerance(recording: &Recording, file: SourceIndex, session: SourceIndex) -> u64 {
    let (ours, theirs) = (recording.clock_error(file), recording.clock_error(session));
    let error = ours.rows.saturating_add(ours.device);
    let error = error.saturating_add(theirs.rows);
    error.saturating_mul(4).saturating_add(1_000)
}

/// Returns whether a kernel ran during `graph`, up to the error of the clocks.
fn is_within(kernel: &Kernel, graph: &Kernel, error: u64) -> bool {
    let error = error as i64;
    let begins = kernel.start.nanos() >= graph.start.nanos().saturating_sub(error);
    begins && kernel.end.nanos() <= graph.end.nanos().saturating_add(error)
}

fn is_same_work(recording: &Recording, ours: &Kernel, theirs: &Kernel) -> bool {
    let node = match (ours.graph_node, theirs.graph_node) {
        (Some(ours), Some(theirs)) => ours == theirs,
        _ => true,
    };
    // Each recorder has its own names for copies and fills.
    let name = ours.kind != KernelKind::Kernel || {
        let names = [ours, theirs].map(|kernel| recording.strings.get(kernel.name));
        let mangled = names.map(|name| name.starts_with("_Z"));
        names[0] == names[1] || mangled[0] != mangled[1] || names.contains(&"")
    };
    // A process numbers its devices, a session its GPUs.
    ours.kind == theirs.kind && node && name
}
