//! Stage 4: finds the launch of every kernel, or the reason why there is none.
//!
//! The methods are listed with the most reliable first. The first that finds a launch links the
//! kernel; if two apply, their agreement is counted:
//!
//! 1. `recorded`: the runtime recorded the launch itself. This applies to CPU kernels, and to nodes
//!    of CUDA graphs, through the map of the replay ([`GraphNode`](weft_model::GraphNode)). The
//!    replay is then found by one of the next two methods.
//! 2. `external_id`: the UID that was pushed as CUPTI's external correlation id.
//! 3. `range`: the innermost UID-carrying range around the launching API call on its thread. A
//!    start/end range counts for the thread that opened it until it is closed, on any thread. A
//!    helper thread opens no UID-carrying range at all. For its calls, a range counts if no other
//!    one is open in the process during the call.
//! 4. `name_time`: the innermost range around the call that was matched to a task by name,
//!    provenance and time.
//!
//! The launching call is the call with the kernel's correlation id in its process: the nearest
//! before it and, of nested calls, the outermost. The reason of a kernel without a launch is that
//! of the best method that applied. If none applied, the call decides: `no_api_call`,
//! `outside_ranges`, `range_without_uid`, or `lost_records` instead of these if CUPTI is known to
//! have lost records of the process. The reason is `runtime_internal` if the UID is that of an
//! [`InternalLaunch`](weft_model::InternalLaunch), which serves no task.
//!
//! A kernel recorded by both CUPTI in the process and Nsight Systems is one kernel: the row of
//! Nsight Systems is removed and counted, so that linked + unmatched = kernels, and kernels +
//! duplicates = rows read.

mod bytes;
mod calls;
mod device;
mod enclosing;
mod host;
mod missing;
mod name_time;
mod nodes;
mod pages;
mod summary;
mod tally;
mod threads;
mod twins;

pub use enclosing::{Enclosing, Enclosure};

use crate::identify::Lookup;
use calls::Calls;
use rayon::prelude::*;
use tally::Tally;
use threads::Threads;
use weft_model::{
    LaunchIndex, Links, LossRow, Outcome, RangeIndex, Recorder, Recording, SourceIndex, SourceKind,
    Trace,
};
use weft_trace::record::loss;
use weft_trace::time::Timestamp;

/// The result of the search for one kernel.
struct KernelMatch {
    outcome: Outcome,
    /// The innermost range around the call that launched it.
    range: Option<RangeIndex>,
    /// The start of that call.
    called: Option<Timestamp>,
}

/// The number of kernels per parallel piece of work.
const CHUNK: usize = 1 << 14;

/// Finds the links of a recording whose times are on one clock, and records their counts in its
/// properties. This sorts the calls, removes kernels that two recorders recorded, and sets the rank
/// of Nsight Systems' kernels to that of their process's file.
pub fn join(mut recording: Recording, lookup: &Lookup) -> Trace {
    let rows = &mut recording;
    calls::sort(rows);
    let range_tasks = name_time::link(rows, lookup);
    let twins = twins::fold(rows, &lookup.owners);
    set_ranks(rows, lookup);
    let tasks: Vec<(RangeIndex, LaunchIndex)> = range_tasks
        .iter()
        .filter_map(|link| {
            let launch = lookup.index.launch(link.source, link.task)?;
            Some((link.range, launch))
        })
        .collect();
    let threads = Threads::new(rows, &tasks);
    let calls = Calls::new(&rows.devices.calls);
    let kinds: Vec<SourceKind> = rows.sources.iter().map(|source| source.kind).collect();
    let lossy: Vec<SourceIndex> = lossy(rows).collect();
    let host = host::Host::new(rows, lookup, &threads);
    let device = device::Device {
        lookup,
        threads: &threads,
        calls: &calls,
        twins: &twins,
        kinds: &kinds,
        lossy: &lossy,
    };
    let found: Vec<_> = (rows.devices.kernels.par_chunks(CHUNK).enumerate())
        .map(|(chunk, kernels)| {
            let mut tally = Tally::default();
            let numbers = (chunk * CHUNK) as u32..;
            let found: Vec<KernelMatch> = numbers
                .zip(kernels)
                .map(|(row, kernel)| match kernel.recorder {
                    Recorder::Host => host.find(kernel, &mut tally),
                    Recorder::Nsys | Recorder::Cupti => device.find(row, kernel, &mut tally),
                })
                .collect();
            (found, tally)
        })
        .collect();
    let mut tally = Tally::default();
    let mut outcomes = Vec::with_capacity(rows.devices.kernels.len());
    let mut ranges = Vec::with_capacity(rows.devices.kernels.len());
    let mut called = Vec::with_capacity(rows.devices.kernels.len());
    for (chunk, counted) in found {
        tally += counted;
        for found in chunk {
            outcomes.push(found.outcome);
            ranges.push(found.range);
            called.push(found.called);
        }
    }
    let graphs = missing::graphs(rows, lookup);
    tally.nodes_unmapped -= nodes::link(rows, &mut outcomes, &graphs, lookup);
    bytes::assign(rows, &outcomes, lookup);
    let lossy: Vec<SourceIndex> = self::lossy(rows).collect();
    missing::count(rows, &outcomes, &graphs, lookup, &lossy);
    summary::write(rows, &outcomes, &lookup.index, tally, twins.len() as u64);
    pages::count(rows);
    let links = Links {
        outcomes,
        kernel_ranges: ranges,
        kernel_calls: called,
        range_tasks,
        critical_path: None,
    };
    Trace { recording, links }
}

/// Returns the sources of which CUPTI is known to have lost records.
fn lossy(rows: &Recording) -> impl Iterator<Item = SourceIndex> + '_ {
    const LOST: [&str; 3] = [
        loss::CUPTI_DROPPED.name,
        loss::CUPTI_OVERRUN.name,
        loss::CUPTI_BUFFERS_CUT.name,
    ];
    let lost = |row: &&LossRow| row.value > 0 && LOST.contains(&row.name.as_str());
    rows.quality
        .losses
        .iter()
        .filter(lost)
        .filter_map(|row| row.source)
}

fn set_ranks(rows: &mut Recording, lookup: &Lookup) {
    let ranks: Vec<Option<u16>> = rows.sources.iter().map(|source| source.rank).collect();
    for kernel in &mut rows.devices.kernels {
        if let (None, Some(process)) = (kernel.rank, kernel.process)
            && let Some(file) = lookup.owners.file_written_by(kernel.source, process)
        {
            kernel.rank = ranks.get(file.0 as usize).copied().flatten();
        }
    }
}
