//! Which source is tied to the base by what.

use super::conversion::Conversion;
use super::fit::{Fit, Pair};
use crate::join::process_in;
use crate::joined::{Joined, SourceIndex, SourceKind, process_of};
use rustc_hash::FxHashMap;
use weft_trace::id::Uid;
use weft_trace::time::{Nanos, Timestamp};

/// What ties a source to the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tie {
    /// It is the base, or reads the same clock.
    Same,
    /// Launches that both it and the base saw.
    Launches(Fit),
    /// Launches that both it and another source, itself tied to the base, saw.
    LaunchesThrough(SourceIndex, Fit),
    /// The wall clock, which both read once.
    WallClock,
    /// Nothing: its times stand as they are.
    Nothing,
}

/// How one source is put on the base clock.
#[derive(Clone, Copy, Debug)]
pub struct Alignment {
    /// What ties it.
    pub tie: Tie,
    /// Its clock to the base.
    pub conversion: Conversion,
}

/// Finds the base, ties every source to it, converts all times, and writes down how in the facts of the trace.
pub fn align(joined: &mut Joined) -> Vec<Alignment> {
    let indices = (0..joined.sources.len() as u32).map(SourceIndex);
    let is_nsys = |source: &SourceIndex| {
        let source = joined.sources.get(source.0 as usize);
        source.is_some_and(|source| source.kind.is_nsys())
    };
    let base = indices.clone().find(is_nsys).unwrap_or_default();
    let launches = launches(joined);
    let mut alignments: Vec<Alignment> = Vec::new();
    for source in indices {
        let alignment = tie(joined, &launches, base, source);
        alignments.push(alignment);
    }
    for (source, alignment) in alignments.iter().enumerate() {
        describe(joined, SourceIndex(source as u32), alignment);
    }
    if let Some(source) = joined.sources.get(base.0 as usize) {
        let clock = match source.kind {
            SourceKind::WeftProf => "CLOCK_MONOTONIC",
            SourceKind::LegionProf => "ns since the ZeroTime of Legion Prof",
            SourceKind::NsysSqlite | SourceKind::NsysReport => "nsys session",
        };
        joined.meta.set("clock_base", clock);
        joined.meta.set("clock_base_source", base.id());
        if let Some(wall) = source.wall_at_zero {
            joined.meta.set("clock_base_wall_ns", wall);
        }
    }
    let conversions: Vec<Conversion> = alignments
        .iter()
        .map(|alignment| alignment.conversion)
        .collect();
    super::apply::convert(joined, &conversions);
    alignments
}

fn tie(
    joined: &Joined,
    launches: &FxHashMap<(SourceIndex, Uid), usize>,
    base: SourceIndex,
    source: SourceIndex,
) -> Alignment {
    let row = |source: SourceIndex| joined.sources.get(source.0 as usize);
    let (Some(ours), Some(theirs)) = (row(source), row(base)) else {
        return Alignment {
            tie: Tie::Nothing,
            conversion: Conversion::default(),
        };
    };
    let same_boot = ours.boot_id.is_some() && ours.boot_id == theirs.boot_id;
    if source == base || same_boot {
        return Alignment {
            tie: Tie::Same,
            conversion: Conversion::default(),
        };
    }
    if !ours.kind.is_nsys() {
        if let Some(fit) = Fit::of(&pairs(joined, launches, source, base)) {
            return Alignment {
                tie: Tie::Launches(fit),
                conversion: fit.conversion,
            };
        }
        // Another session may have watched this process.
        let sessions = (0..joined.sources.len() as u32).map(SourceIndex);
        for session in sessions.filter(|session| {
            *session != base && row(*session).is_some_and(|row| row.kind.is_nsys())
        }) {
            if let (Some(fit), Some(shift)) = (
                Fit::of(&pairs(joined, launches, source, session)),
                wall_shift(joined, session, base),
            ) {
                let mut conversion = fit.conversion;
                conversion.offset = conversion.offset.saturating_add(shift);
                return Alignment {
                    tie: Tie::LaunchesThrough(session, fit),
                    conversion,
                };
            }
        }
    }
    match wall_shift(joined, source, base) {
        Some(shift) => Alignment {
            tie: Tie::WallClock,
            conversion: Conversion::shift(shift),
        },
        None => Alignment {
            tie: Tie::Nothing,
            conversion: Conversion::default(),
        },
    }
}

/// What to add to a time of `from` to get a time of `to`, by the wall clock.
fn wall_shift(joined: &Joined, from: SourceIndex, to: SourceIndex) -> Option<i64> {
    let wall = |source: SourceIndex| joined.sources.get(source.0 as usize)?.wall_at_zero;
    Some(wall(from)?.saturating_sub(wall(to)?))
}

/// Launches of `.prof` sources by source and UID.
fn launches(joined: &Joined) -> FxHashMap<(SourceIndex, Uid), usize> {
    let rows = joined.launches.iter().enumerate();
    rows.map(|(row, launch)| ((launch.source, launch.uid), row))
        .collect()
}

/// The middles of launches that `source` recorded and of the ranges that `session` saw for them. Both ends are read a
/// little inside the range, by about as much, so that the middles agree best.
fn pairs(
    joined: &Joined,
    launches: &FxHashMap<(SourceIndex, Uid), usize>,
    source: SourceIndex,
    session: SourceIndex,
) -> Vec<Pair> {
    let process = process_in(joined, source, session);
    let ranges = joined
        .ranges
        .iter()
        .filter(|range| range.source == session && Some(process_of(range.thread)) == process);
    ranges
        .filter_map(|range| {
            let launch = joined
                .launches
                .get(*launches.get(&(source, range.launch?))?)?;
            Some(Pair {
                from: middle(launch.start, launch.end),
                to: middle(range.start, range.end),
            })
        })
        .collect()
}

fn middle(start: Timestamp, end: Timestamp) -> Timestamp {
    start + Nanos((end - start).0 / 2)
}

fn describe(joined: &mut Joined, source: SourceIndex, alignment: &Alignment) {
    let key = |what: &str| format!("source_{}_clock_{what}", source.id());
    let meta = &mut joined.meta;
    let (word, fit) = match alignment.tie {
        Tie::Same => ("same".to_owned(), None),
        Tie::Launches(fit) => ("launches".to_owned(), Some(fit)),
        Tie::LaunchesThrough(through, fit) => (
            format!("launches, through source {}", through.id()),
            Some(fit),
        ),
        Tie::WallClock => ("wall clock".to_owned(), None),
        Tie::Nothing => ("nothing".to_owned(), None),
    };
    meta.set(key("tie"), word);
    meta.set(key("offset_ns"), alignment.conversion.offset);
    if let Some(fit) = fit {
        meta.set(key("origin_ns"), fit.conversion.origin);
        meta.set(key("drift_ppm"), fit.conversion.drift * 1e6);
        meta.set(key("pairs"), fit.pairs);
        meta.set(key("residual_median_ns"), fit.residual_median);
        meta.set(key("residual_99_ns"), fit.residual_99);
        meta.set(key("residual_max_ns"), fit.residual_max);
        meta.set(key("outliers"), fit.outliers);
    }
}
