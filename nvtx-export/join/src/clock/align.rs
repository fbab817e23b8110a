//! Conversion of every clock to the base, along the ties with the least error.

use super::alignment::Alignment;
use super::conversion::Conversion;
use super::edge::{Clock, Edge, Tie};
use super::{apply, check, describe, device, names, ties};
use crate::identify::Lookup;
use rustc_hash::FxHashMap;
use weft_model::{ClockError, Recording, SourceIndex};

/// The least cost of a tie by the wall clock in ns, however accurate its readings are: the wall
/// clocks of machines differ.
const WALL_COST: u64 = 5_000_000;

/// Finds the base, ties every source to it, converts all times, and records the ties in the
/// properties of the trace.
pub fn align(recording: &mut Recording, lookup: &Lookup) -> Vec<Alignment> {
    let indices = (0..recording.sources.len() as u32).map(SourceIndex);
    let is_nsys = |source: &SourceIndex| {
        let source = recording.sources.get(source.0 as usize);
        source.is_some_and(|source| source.kind.is_nsys())
    };
    let base = indices.clone().find(is_nsys).unwrap_or_default();
    let edges = ties::collect(recording, lookup);
    let paths = paths(base, &edges);
    let alignments: Vec<Alignment> = indices
        .clone()
        .map(|source| alignment(&paths, base, source))
        .collect();
    let mut devices: Vec<Conversion> = Vec::new();
    for (source, alignment) in indices.zip(&alignments) {
        let known = paths.contains_key(&Clock::Source(source));
        describe::source(recording, source, alignment, known);
        let device = device::fit(recording, source);
        if let Some((fit, error)) = device {
            describe::device(recording, source, &fit, error);
        }
        recording.quality.clock_errors.push(ClockError {
            rows: alignment.error,
            named: match alignment.tie {
                Some(Tie::Names(fit)) => names::error(&fit),
                _ => alignment.error,
            },
            device: device.map_or(0, |(_, error)| error),
        });
        devices.push(device.map_or(alignment.conversion, |(fit, _)| {
            fit.conversion.then(&alignment.conversion)
        }));
    }
    describe::base(recording, base);
    let conversions: Vec<Conversion> = alignments
        .iter()
        .map(|alignment| alignment.conversion)
        .collect();
    check::looks(recording, &alignments);
    apply::convert(recording, &conversions, &devices);
    check::messages(recording);
    alignments
}

/// A step on the path from a clock to the base.
#[derive(Clone, Copy)]
struct ClockPath {
    /// The next clock on the path.
    next: Clock,
    tie: Option<Tie>,
    conversion: Conversion,
    cost: u64,
    error: u64,
}

/// Returns the paths of least cost by Dijkstra's algorithm. There are few clocks.
fn paths(base: SourceIndex, edges: &[Edge]) -> FxHashMap<Clock, ClockPath> {
    let base = Clock::Source(base);
    let mut settled: FxHashMap<Clock, ClockPath> = FxHashMap::default();
    let mut open = vec![(
        base,
        ClockPath {
            next: base,
            tie: None,
            conversion: Conversion::default(),
            cost: 0,
            error: 0,
        },
    )];
    let mut of_clock: FxHashMap<Clock, Vec<Edge>> = FxHashMap::default();
    for edge in edges {
        of_clock.entry(edge.to).or_default().push(*edge);
        of_clock.entry(edge.from).or_default().push(Edge {
            from: edge.to,
            to: edge.from,
            conversion: edge.conversion.inverse(),
            ..*edge
        });
    }
    loop {
        // If costs are equal, the first path wins, so that the order of the inputs decides.
        let least = open
            .iter()
            .enumerate()
            .min_by_key(|(at, (_, way))| (way.cost, *at));
        let Some((at, _)) = least else {
            return settled;
        };
        let (clock, way) = open.remove(at);
        if settled.contains_key(&clock) {
            continue;
        }
        settled.insert(clock, way);
        for edge in of_clock.get(&clock).map_or(&[][..], |edges| edges) {
            if settled.contains_key(&edge.from) {
                continue;
            }
            let wall = u64::from(edge.tie == Tie::WallClock) * WALL_COST;
            // At equal errors, a path with fewer ties is better.
            let cost = way
                .cost
                .saturating_add(edge.error.saturating_add(wall))
                .saturating_add(1);
            let to_base = ClockPath {
                next: clock,
                tie: Some(edge.tie),
                conversion: edge.conversion.then(&way.conversion),
                cost,
                error: way.error.saturating_add(edge.error),
            };
            open.push((edge.from, to_base));
        }
    }
}

fn alignment(
    paths: &FxHashMap<Clock, ClockPath>,
    base: SourceIndex,
    source: SourceIndex,
) -> Alignment {
    let way = paths.get(&Clock::Source(source));
    let Some(way) = way else {
        return Alignment {
            tie: None,
            through: None,
            conversion: Conversion::default(),
            error: 0,
        };
    };
    // Beyond a clock without a source is the source that read it.
    let next = match way.next {
        Clock::Source(_) => way.next,
        clock => paths.get(&clock).map_or(clock, |clock| clock.next),
    };
    let through = match next {
        Clock::Source(next) if next != base => Some(next),
        _ => None,
    };
    Alignment {
        tie: way.tie,
        through,
        conversion: way.conversion,
        error: way.error,
    }
}
