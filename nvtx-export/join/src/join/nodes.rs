//! Kernels of CUDA graphs whose nodes have no known names. They are moved from the replay of their
//! graph to its launches.
//!
//! The runtime builds a graph from consecutive launches, each with at least one kernel. If the
//! number of recorded kernels of a replay equals that of its launches, each launch has one, and
//! they ran in the order of the launches.

use crate::identify::Lookup;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::{Kernel, KernelKind, LaunchIndex, Method, Outcome, Recording};
use weft_trace::time::Timestamp;

/// Moves kernels from the launch of their replay to the launch that issued them, if that launch is
/// certain. `parts` maps each launch to its replay, by row. Returns the number of kernels moved.
pub(super) fn link(
    recording: &Recording,
    outcomes: &mut [Outcome],
    parts: &FxHashMap<u32, u32>,
    lookup: &Lookup,
) -> u64 {
    let mapped = recording.devices.graph_nodes.iter().filter_map(|node| {
        let replay = lookup.index.launch(node.source, node.replay)?;
        Some(replay.0)
    });
    // The runtime mapped the nodes of these replays, so unmapped nodes are not work of its own.
    let mapped: FxHashSet<u32> = mapped.collect();
    let mut launches: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (&launch, &replay) in parts {
        if launch != replay && !mapped.contains(&replay) {
            launches.entry(replay).or_default().push(launch);
        }
    }
    let mut kernels: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (row, (kernel, outcome)) in (0_u32..).zip(recording.devices.kernels.iter().zip(&*outcomes))
    {
        let is_node = kernel.graph_node.is_some() && kernel.kind == KernelKind::Kernel;
        if let (true, Outcome::Linked { launch, method }) = (is_node, *outcome)
            && method != Method::Recorded
            && launches.contains_key(&launch.0)
        {
            kernels.entry(launch.0).or_default().push(row);
        }
    }
    let start_of = |launch: u32| {
        let row = recording.work.launches.get(launch as usize);
        row.map(|row| (row.start, row.uid))
    };
    let mut linked = 0;
    for (replay, mut kernels) in kernels {
        let Some(launches) = launches.get_mut(&replay) else {
            continue;
        };
        if kernels.len() != launches.len() {
            continue;
        }
        launches.sort_by_key(|launch| start_of(*launch));
        kernels.sort_by_key(|row| times(recording.devices.kernels.get(*row as usize)));
        let overlap = kernels.windows(2).any(|two| {
            let [earlier, later] =
                [0, 1].map(|at| times(recording.devices.kernels.get(two[at] as usize)));
            matches!((earlier, later), (Some((_, end)), Some((start, _))) if start < end)
        });
        if overlap {
            // The launches are not consecutive, so it is not a graph of the runtime.
            continue;
        }
        for (row, launch) in kernels.into_iter().zip(&*launches) {
            outcomes[row as usize] = Outcome::Linked {
                launch: LaunchIndex(*launch),
                method: Method::Recorded,
            };
            linked += 1;
        }
    }
    linked
}

/// Returns the start and end of a kernel.
fn times(kernel: Option<&Kernel>) -> Option<(Timestamp, Timestamp)> {
    kernel.map(|kernel| (kernel.start, kernel.end))
}
