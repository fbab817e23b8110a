//! Perfetto: a trace of packets for its viewer (ui.perfetto.dev) and its trace processor.
//!
//! Each rank, and each other process that Nsight Systems recorded, is a process with tracks:
//! - processors, with tasks, launches that add information, host kernels and waits
//! - calls of the runtime
//! - streams of GPUs, with kernels, memcpys and memsets
//! - channels, with copies and fills
//! - memories, with instances
//! - NVTX ranges and API calls, by thread
//! - counters: the share of busy processors of each kind, and the bytes in use of each memory
//!
//! An arrow leads from each task, copy or fill to each kernel of its launch. Arguments carry UIDs,
//! `file:line`, shares, bytes, correlation ids, and how the join linked a kernel or why it did not.
//!
//! Overlapping slices of a track are spread over lanes: tracks with a common name, which the viewer
//! draws as one.
//!
//! Times are in ns of the joined trace's clock. Times of Perfetto cannot be negative: if the first
//! one is, all are shifted so that it is 0. The instant on the track `joined trace` has the shift
//! (`shift_ns`), and the facts and losses of the trace.
//!
//! Packets are written one by one. Apart from the joined trace, memory holds one entry per slice of
//! the current family.

mod counters;
mod flows;
mod items;
mod packets;
mod proto;
mod slices;
mod tracks;

use crate::file::OutFile;
use flows::Flows;
use items::{FAMILIES, Item};
use packets::Packets;
use slices::Slices;
use std::io::{self, Write};
use std::path::Path;
use tracks::Tracks;
use weft_critical as critical;
use weft_join::identify::Lookup;
use weft_model::lanes::{Closed, Lanes};
use weft_model::rows::Rows;
use weft_model::{ExportError, Progress, Trace};

/// Options for writing a trace.
#[derive(Clone, Debug, Default)]
pub struct PerfettoOptions {
    /// Whether to replace an output that exists.
    pub force: bool,
    /// Whether to draw an arrow from each task to each of its successors. There may be many.
    pub dependencies: bool,
    /// The receiver of progress events.
    pub progress: Progress,
}

/// The written trace, with counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerfettoReport {
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The number of slices, including the instant with the facts of the trace.
    pub slices: u64,
    /// The number of arrows.
    pub flows: u64,
    /// The number of counter samples.
    pub samples: u64,
    /// The shift that was added to every time, in ns.
    pub shift: i64,
}

/// Writes the joined trace to `out`.
///
/// # Errors
/// Returns an error if `out` exists and must not be replaced, or cannot be written.
pub fn write(
    trace: &Trace,
    out: &Path,
    options: &PerfettoOptions,
) -> Result<PerfettoReport, ExportError> {
    let mut file = OutFile::create(trace, out, options.force)?;
    let mut report = PerfettoReport::default();
    file.write_with(|to| {
        report = render(trace, to, options)?;
        Ok(())
    })?;
    report.bytes = file.finish()?;
    Ok(report)
}

/// Writes the packets. The output depends only on the trace.
fn render<W: Write>(trace: &Trace, to: W, options: &PerfettoOptions) -> io::Result<PerfettoReport> {
    let (first, last) = items::span(trace).unwrap_or_default();
    let shift = if first < 0 { first.saturating_neg() } else { 0 };
    let lookup = Lookup::new(trace);
    let index = &lookup.index;
    let rows = Rows { trace, index };
    let flows = Flows::new(trace, index, options.dependencies);
    let slices = Slices::new(trace, index, &flows, shift);
    let mut packets = Packets::begin(to, trace, shift, wall(trace, shift))?;
    let mut tracks = Tracks::new(trace, &lookup);
    let root = tracks.root(&mut packets, "joined trace")?;
    packets.facts(root, first, facts(rows, &flows, shift))?;
    let mut key = 0;
    for counted in counters::collect(trace, &mut tracks) {
        key += 1;
        let track = tracks.describe(&mut packets, counted.track, key)?;
        for (time, value) in counted.samples {
            match counted.full_scale {
                Some(whole) => {
                    let percent = 100.0 * value as f64 / f64::from(whole);
                    packets.percent(track, time, percent)?;
                }
                None => {
                    let value = value.clamp(i64::MIN.into(), i64::MAX.into());
                    packets.bytes(track, time, value as i64)?;
                }
            }
        }
    }
    options.progress.begin("writing slices", slice_count(trace));
    for family in FAMILIES {
        let items = items::collect(rows, &mut tracks, family, last);
        for items in items.chunk_by(|a, b| a.track == b.track) {
            key += 1;
            track(&mut packets, &mut tracks, &slices, items, key)?;
            options.progress.advance(items.len() as u64);
        }
    }
    let counts = packets.counts;
    Ok(PerfettoReport {
        bytes: 0,
        slices: counts.slices,
        flows: flows.count,
        samples: counts.samples,
        shift,
    })
}

/// Writes the ordered slices of one track, over as many lanes as needed.
fn track<W: Write>(
    packets: &mut Packets<'_, W>,
    tracks: &mut Tracks<'_>,
    slices: &Slices<'_>,
    items: &[Item],
    key: u64,
) -> io::Result<()> {
    let mut lanes = Lanes::default();
    let mut uuids: Vec<u64> = Vec::new();
    let mut closed: Vec<Closed> = Vec::new();
    let close = |packets: &mut Packets<'_, W>, uuids: &[u64], closed: &mut Vec<Closed>| {
        closed.drain(..).try_for_each(|Closed { lane, end }| {
            let uuid = uuids.get(lane as usize).copied();
            packets.close(uuid.unwrap_or_default(), end)
        })
    };
    for item in items {
        let lane = lanes
            .place(item.start, item.end, item.group, &mut closed)
            .lane as usize;
        close(packets, &uuids, &mut closed)?;
        if lane == uuids.len() {
            uuids.push(tracks.describe(packets, item.track, key)?);
        }
        let uuid = uuids.get(lane).copied().unwrap_or_default();
        if let Some(slice) = slices.slice(item.row) {
            packets.open(uuid, item.start, slice)?;
        }
    }
    lanes.finish(&mut closed);
    close(packets, &uuids, &mut closed)
}

/// Returns the approximate number of slices.
fn slice_count(trace: &Trace) -> u64 {
    let work = trace.work.tasks.len() + trace.devices.kernels.len() + trace.work.copies.len();
    let rest = trace.work.runtime_calls.len() + trace.work.instances.len();
    let rest = rest + trace.work.partitionings.len();
    (work + rest + trace.work.ranges.len() + trace.devices.calls.len()) as u64
}

/// Returns the wall clock (ns since 1970) at the written time 0, if known.
fn wall(trace: &Trace, shift: i64) -> Option<u64> {
    let base: i64 = trace.quality.meta.get("clock_base_source")?.parse().ok()?;
    let base = usize::try_from(base.checked_sub(1)?).ok()?;
    let wall = trace.sources.get(base)?.wall_at_zero?;
    u64::try_from(wall.checked_sub(shift)?).ok()
}

/// Returns the facts and losses of the trace, and the counts of rows that could not be drawn.
fn facts<'a>(
    rows: Rows<'a>,
    flows: &Flows,
    shift: i64,
) -> impl Iterator<Item = (String, String)> + use<'a> {
    let trace = rows.trace;
    let ours = [
        ("shift_ns", shift.to_string()),
        ("links not drawn", flows.dangling_links.to_string()),
        (
            "dependences not drawn",
            flows.dangling_dependencies.to_string(),
        ),
        ("waits not drawn", rows.homeless_waits().to_string()),
    ];
    let ours = ours.map(|(name, value)| (name.to_owned(), value));
    let graph = critical::legion_graph_fact(trace);
    let known = move |key: &str| graph.is_some_and(|(name, _)| name == key);
    let meta = trace
        .quality
        .meta
        .iter()
        .filter(move |(key, _)| !known(key));
    let meta = meta.chain(graph);
    let meta = meta.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let losses = trace.quality.losses.iter().map(|loss| {
        let source = loss
            .source
            .map(|source| format!(" of source {}", source.id()));
        let source = source.unwrap_or_default();
        let name = format!("{} {}{source}", loss.severity.name(), loss.name);
        (name, loss.value.to_string())
    });
    ours.into_iter().chain(meta).chain(losses)
}
