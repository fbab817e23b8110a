//! The bytes moved by kernels on GPUs. The runtime records them per launch, and other recorders
//! record the kernels.

use crate::identify::Lookup;
use rustc_hash::FxHashMap;
use weft_model::{KernelKind, Outcome, Recorder, Recording};

/// Assigns the bytes of each launch to its kernel. For a launch with several kernels they are not
/// divided, because the part of each kernel is unknown.
pub(super) fn assign(recording: &mut Recording, outcomes: &[Outcome], lookup: &Lookup) {
    let mut kernels: FxHashMap<u32, Option<usize>> = FxHashMap::default();
    for bytes in &recording.devices.launch_bytes {
        if let Some(launch) = lookup.index.launch(bytes.source, bytes.launch) {
            kernels.insert(launch.0, None);
        }
    }
    if kernels.is_empty() {
        return;
    }
    let mut several = Vec::new();
    let rows = recording.devices.kernels.iter().zip(outcomes).enumerate();
    for (row, (kernel, outcome)) in rows {
        let Outcome::Linked { launch, .. } = outcome else {
            continue;
        };
        if kernel.kind != KernelKind::Kernel || kernel.recorder == Recorder::Host {
            continue;
        }
        if let Some(known) = kernels.get_mut(&launch.0)
            && known.replace(row).is_some()
        {
            several.push(launch.0);
        }
    }
    for launch in several {
        kernels.remove(&launch);
    }
    for bytes in &recording.devices.launch_bytes {
        let launch = lookup.index.launch(bytes.source, bytes.launch);
        let row = launch.and_then(|launch| kernels.get(&launch.0).copied().flatten());
        if let Some(kernel) = row.and_then(|row| recording.devices.kernels.get_mut(row)) {
            kernel.traffic = bytes.traffic;
        }
    }
}
