//! Ties between clocks, each with its error.

use super::conversion::Conversion;
use super::edge::{Clock, Edge, Tie};
use super::fit::{Fit, Pair, Readings};
use super::{looks, names};
use crate::identify::{Case, Lookup};
use rustc_hash::FxHashMap;
use weft_model::{Recording, SourceIndex, SourceKind, process_of};
use weft_trace::id::Uid;
use weft_trace::time::{Nanos, Timestamp};

/// Returns all ties between the clocks of a trace.
pub(super) fn collect(recording: &Recording, lookup: &Lookup) -> Vec<Edge> {
    let mut edges = same_boot(recording);
    edges.extend(looks::edges(recording));
    let seen = CarrierRanges::new(recording);
    let extents = recording.extents();
    for file in (0..recording.sources.len() as u32).map(SourceIndex) {
        let extent = extents.get(&file).copied();
        for &(session, process) in lookup.owners.processes(file) {
            let found = match kind(recording, file) {
                Some(SourceKind::LegionProf) => {
                    let wall = wall_shift(recording, file, session);
                    let case = Case::new(recording, &lookup.bodies, file, session, process);
                    let found = names::fit(&case, wall);
                    found.map(|(fit, readings)| (Tie::Names(fit), names::error(&fit), readings))
                }
                _ => seen
                    .fit(recording, lookup, file, (session, process))
                    .map(|(fit, readings)| (Tie::Launches(fit), fit.error(), readings)),
            };
            if let Some((tie, error, readings)) = found
                && let Some(fit) = tie.fit()
            {
                edges.push(Edge {
                    from: Clock::Source(file),
                    to: Clock::Source(session),
                    tie,
                    conversion: fit.conversion,
                    error: readings.error(error, extent),
                });
            }
        }
        edges.extend(wall(recording, file, extent));
    }
    edges
}

fn kind(recording: &Recording, source: SourceIndex) -> Option<SourceKind> {
    Some(recording.sources.get(source.0 as usize)?.kind)
}

fn same_boot(recording: &Recording) -> Vec<Edge> {
    let mut first: FxHashMap<&str, SourceIndex> = FxHashMap::default();
    let mut edges = Vec::new();
    for (source, row) in (0..).map(SourceIndex).zip(&recording.sources) {
        let Some(boot) = row.boot_id.as_deref().filter(|boot| !boot.is_empty()) else {
            continue;
        };
        let to = *first.entry(boot).or_insert(source);
        if to != source {
            edges.push(Edge {
                from: Clock::Source(source),
                to: Clock::Source(to),
                tie: Tie::Same,
                conversion: Conversion::default(),
                error: 0,
            });
        }
    }
    edges
}

/// Returns the shift from times of `from` to times of `to`, by the wall clock.
fn wall_shift(recording: &Recording, from: SourceIndex, to: SourceIndex) -> Option<i64> {
    let wall = |source: SourceIndex| recording.sources.get(source.0 as usize)?.wall_at_zero;
    Some(wall(from)?.saturating_sub(wall(to)?))
}

/// The error of a reading of the wall clock without a recorded error, in ns.
const UNTOLD: u64 = 1_000_000;

/// Returns the conversion from a source's clock to the wall clock, from its samples of both, or
/// from the recorded wall clock at its zero.
fn wall(recording: &Recording, source: SourceIndex, extent: Option<(i64, i64)>) -> Option<Edge> {
    let samples = recording.quality.wall_samples.iter();
    let samples: Vec<_> = samples.filter(|sample| sample.source == source).collect();
    let pairs: Vec<Pair> = samples
        .iter()
        .map(|sample| Pair {
            from: sample.at,
            to: Timestamp::from_nanos_since_epoch(sample.wall),
        })
        .collect();
    let readings = Readings::from_pairs(samples.iter().map(|sample| (sample.at, sample.error)));
    let (conversion, error) = match Fit::from_pairs(&pairs).zip(readings) {
        Some((fit, readings)) => {
            let read = samples.iter().map(|sample| sample.error).min();
            let error = fit.residual_max.saturating_add(read.unwrap_or(0));
            (fit.conversion, readings.error(error, extent))
        }
        None => {
            let at_zero = recording.sources.get(source.0 as usize)?.wall_at_zero?;
            let zero = Readings::from_pairs([(Timestamp::default(), UNTOLD)])?;
            (Conversion::shift(at_zero), zero.error(0, extent))
        }
    };
    Some(Edge {
        from: Clock::Source(source),
        to: Clock::Wall,
        tie: Tie::WallClock,
        conversion,
        error,
    })
}

/// A range that carries a UID, with its times.
type Carrier = (Uid, Timestamp, Timestamp);

/// Ranges that carry UIDs, by process.
struct CarrierRanges(FxHashMap<(SourceIndex, i64), Vec<Carrier>>);

impl CarrierRanges {
    fn new(recording: &Recording) -> Self {
        let mut seen: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for range in &recording.work.ranges {
            // A range that was never closed, or was closed on another thread, does not have the
            // times of its launch.
            if let (Some(uid), false, None) = (range.launch, range.open, range.end_thread) {
                let process = (range.source, process_of(range.thread));
                let ranges = seen.entry(process).or_default();
                ranges.push((uid, range.start, range.end));
            }
        }
        CarrierRanges(seen)
    }

    /// Fits the middles of launches that `file` recorded and of the ranges that were recorded for
    /// them. Both ends are read slightly inside the range, by about the same time, so the middles
    /// agree best. A launch lies within its range, so the middles differ by at most half of the
    /// difference in length.
    fn fit(
        &self,
        recording: &Recording,
        lookup: &Lookup,
        file: SourceIndex,
        process: (SourceIndex, i64),
    ) -> Option<(Fit, Readings)> {
        let ranges = self.0.get(&process).map_or(&[][..], |ranges| ranges);
        let pair = |&(uid, start, end): &Carrier| {
            let launch = lookup.index.launch(file, uid)?;
            let launch = recording.work.launches.get(launch.0 as usize)?;
            let pair = Pair {
                from: middle(launch.start, launch.end),
                to: middle(start, end),
            };
            let lengths = [end - start, launch.end - launch.start];
            let longer = lengths[0].0.abs_diff(lengths[1].0);
            (launch.source == file).then_some((pair, longer.div_ceil(2)))
        };
        let pairs: Vec<(Pair, u64)> = ranges.iter().filter_map(pair).collect();
        let readings = Readings::from_pairs(pairs.iter().map(|(pair, error)| (pair.from, *error)));
        let pairs: Vec<Pair> = pairs.into_iter().map(|(pair, _)| pair).collect();
        Fit::from_pairs(&pairs).zip(readings)
    }
}

fn middle(start: Timestamp, end: Timestamp) -> Timestamp {
    start + Nanos((end - start).0 / 2)
}
