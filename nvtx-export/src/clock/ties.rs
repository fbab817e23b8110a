//! What ties clocks together, each tie with its error.

use super::conversion::Conversion;
use super::fit::{Fit, Pair};
use crate::join::{Lookup, error_of_names, fit_names};
use crate::joined::{Joined, RunIndex, SourceIndex, SourceKind, process_of};
use rustc_hash::FxHashMap;
use weft_trace::id::Uid;
use weft_trace::time::{Nanos, Timestamp};

/// What ties two clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tie {
    /// They are one clock: CLOCK_MONOTONIC within one boot of one machine.
    Same,
    /// Launches that one recorded and whose ranges the other saw.
    Launches(Fit),
    /// Tasks that one recorded and whose ranges, without UIDs, the other saw.
    Names(Fit),
    /// Looks of one rank at the clock of the other.
    Looks(Fit),
    /// The wall clock. How far the wall clocks of two machines are apart is not known.
    WallClock,
}

impl Tie {
    /// The word for it in the facts of a trace.
    pub const fn name(self) -> &'static str {
        match self {
            Tie::Same => "same",
            Tie::Launches(_) => "launches",
            Tie::Names(_) => "names",
            Tie::Looks(_) => "looks",
            Tie::WallClock => "wall clock",
        }
    }

    /// The fit, where there is one.
    pub const fn fit(self) -> Option<Fit> {
        match self {
            Tie::Launches(fit) | Tie::Names(fit) | Tie::Looks(fit) => Some(fit),
            Tie::Same | Tie::WallClock => None,
        }
    }
}

/// A clock: that of a source, that of a rank whose profile was not read, or the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Clock {
    Source(SourceIndex),
    Rank(RunIndex, u16),
    Wall,
}

/// Two clocks and how one is converted to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: Clock,
    pub(super) to: Clock,
    pub(super) tie: Tie,
    pub(super) conversion: Conversion,
    /// How far the conversion may be off, as far as can be told, in ns.
    pub(super) error: u64,
}

/// All ties between the clocks of a trace.
pub(super) fn all(joined: &Joined, lookup: &Lookup) -> Vec<Edge> {
    let mut edges = same_boot(joined);
    edges.extend(super::ranks::edges(joined));
    let seen = Seen::of(joined);
    for file in (0..joined.sources.len() as u32).map(SourceIndex) {
        for &(session, process) in lookup.owners.processes(file) {
            let tie = match kind(joined, file) {
                Some(SourceKind::LegionProf) => {
                    let wall = wall_shift(joined, file, session);
                    fit_names(joined, &lookup.bodies, file, (session, process), wall)
                        .map(Tie::Names)
                }
                _ => Fit::of(&seen.pairs(joined, lookup, file, (session, process)))
                    .map(Tie::Launches),
            };
            if let Some((tie, fit)) = tie.and_then(|tie| Some((tie, tie.fit()?))) {
                edges.push(Edge {
                    from: Clock::Source(file),
                    to: Clock::Source(session),
                    tie,
                    conversion: fit.conversion,
                    error: match tie {
                        Tie::Names(_) => error_of_names(&fit),
                        _ => fit.error(),
                    },
                });
            }
        }
        edges.extend(wall(joined, file));
    }
    edges
}

fn kind(joined: &Joined, source: SourceIndex) -> Option<SourceKind> {
    Some(joined.sources.get(source.0 as usize)?.kind)
}

fn same_boot(joined: &Joined) -> Vec<Edge> {
    let mut first: FxHashMap<&str, SourceIndex> = FxHashMap::default();
    let mut edges = Vec::new();
    for (source, row) in (0..).map(SourceIndex).zip(&joined.sources) {
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

/// What to add to a time of `from` to get a time of `to`, by the wall clock.
fn wall_shift(joined: &Joined, from: SourceIndex, to: SourceIndex) -> Option<i64> {
    let wall = |source: SourceIndex| joined.sources.get(source.0 as usize)?.wall_at_zero;
    Some(wall(from)?.saturating_sub(wall(to)?))
}

/// A source's clock to the wall clock: by its samples of both, or by what it says of its own zero.
fn wall(joined: &Joined, source: SourceIndex) -> Option<Edge> {
    let samples = joined.wall_samples.iter();
    let samples: Vec<_> = samples.filter(|sample| sample.source == source).collect();
    let pairs: Vec<Pair> = samples
        .iter()
        .map(|sample| Pair {
            from: sample.at,
            to: Timestamp::from_nanos_since_epoch(sample.wall),
        })
        .collect();
    let (conversion, error) = match Fit::of(&pairs) {
        Some(fit) => {
            let read = samples.iter().map(|sample| sample.error).min();
            let error = fit.residual_max.saturating_add(read.unwrap_or(0));
            (fit.conversion, error)
        }
        None => {
            let at_zero = joined.sources.get(source.0 as usize)?.wall_at_zero?;
            (Conversion::shift(at_zero), 0)
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

/// A UID-carrying range with its times.
type Carrier = (Uid, Timestamp, Timestamp);

/// UID-carrying ranges by process.
struct Seen(FxHashMap<(SourceIndex, i64), Vec<Carrier>>);

impl Seen {
    fn of(joined: &Joined) -> Self {
        let mut seen: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for range in &joined.ranges {
            // A range that was never closed, or on another thread, does not have the times of its launch.
            if let (Some(uid), false, None) = (range.launch, range.open, range.end_thread) {
                let process = (range.source, process_of(range.thread));
                let ranges = seen.entry(process).or_default();
                ranges.push((uid, range.start, range.end));
            }
        }
        Seen(seen)
    }

    /// The middles of launches that `file` recorded and of the ranges that were seen for them. Both ends are read a
    /// little inside the range, by about as much, so that the middles agree best.
    fn pairs(
        &self,
        joined: &Joined,
        lookup: &Lookup,
        file: SourceIndex,
        process: (SourceIndex, i64),
    ) -> Vec<Pair> {
        let ranges = self.0.get(&process).map_or(&[][..], |ranges| ranges);
        let pair = |&(uid, start, end): &Carrier| {
            let launch = lookup.index.launch(file, uid)?;
            let launch = joined.launches.get(launch.0 as usize)?;
            (launch.source == file).then(|| Pair {
                from: middle(launch.start, launch.end),
                to: middle(start, end),
            })
        };
        ranges.iter().filter_map(pair).collect()
    }
}

fn middle(start: Timestamp, end: Timestamp) -> Timestamp {
    start + Nanos((end - start).0 / 2)
}
