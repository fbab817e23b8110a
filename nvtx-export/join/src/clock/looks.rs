//! Looks of one rank at another's clock, which tie ranks of several boots.
//!
//! A look is a reading of the other rank's clock between two readings of the own clock, so its
//! error is at most half of the time between these. The best look near the beginning and the best
//! near the end determine a line. If both clocks run evenly, the error of the line is at most that
//! of the two looks. Looks at a distance from the line that exceeds their own error show how uneven
//! the clocks are.

use super::conversion::Conversion;
use super::edge::{Clock, Edge, Tie};
use super::fit::{DRIFT, Fit, Pair};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use weft_model::{RankLook, Recording, RunIndex, SourceIndex};

/// The time between the first and the last look is divided by this. The first and the last part are
/// the beginning and the end.
const NEAR: i64 = 8;

/// Returns the ties between ranks by looks at each other's clocks.
pub(super) fn edges(recording: &Recording) -> Vec<Edge> {
    let sources = sources(recording);
    let spans = recording.extents();
    let tie = |((source, peer), looks): ((SourceIndex, u16), Vec<&RankLook>)| {
        let run = recording.run_of(source);
        let known = sources.get(&(run, peer));
        let (fit, error) = fit(&looks, spans.get(&source).copied())?;
        Some(Edge {
            from: Clock::Source(source),
            to: known.map_or(Clock::Rank(run, peer), |peer| Clock::Source(*peer)),
            tie: Tie::Looks(fit),
            conversion: fit.conversion,
            error,
        })
    };
    by_pair(recording).into_iter().filter_map(tie).collect()
}

pub(super) fn sources(recording: &Recording) -> FxHashMap<(RunIndex, u16), SourceIndex> {
    let sources = (0..).map(SourceIndex).zip(&recording.sources);
    sources
        .filter_map(|(index, source)| Some(((source.run, source.rank?), index)))
        .collect()
}

pub(super) fn by_pair(recording: &Recording) -> BTreeMap<(SourceIndex, u16), Vec<&RankLook>> {
    let mut pairs: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for look in &recording.quality.rank_looks {
        let looks = pairs.entry((look.source, look.peer)).or_default();
        looks.push(look);
    }
    for looks in pairs.values_mut() {
        looks.sort_by_key(|look| look.at);
    }
    pairs
}

/// Returns the conversion from sorted looks, and its largest error in ns within `span` if both
/// clocks run evenly.
fn fit(looks: &[&RankLook], span: Option<(i64, i64)>) -> Option<(Fit, u64)> {
    let (first, last) = (looks.first()?.at.nanos(), looks.last()?.at.nanos());
    let near = last.saturating_sub(first) / NEAR;
    let best = |from: i64, to: i64| {
        let mut range = looks.iter();
        let within = range
            .by_ref()
            .filter(|look| (from..=to).contains(&look.at.nanos()));
        within.min_by_key(|look| look.error)
    };
    let early = best(first, first.saturating_add(near))?;
    let late = best(last.saturating_sub(near), last)?;
    let apart = late.at.nanos().saturating_sub(early.at.nanos()) as f64;
    let by = |look: &RankLook| i128::from(look.theirs.nanos()) - i128::from(look.at.nanos());
    let (one, other) = (early.error as f64, late.error as f64);
    let slope = (by(late) - by(early)) as f64 / apart;
    // A slope below the error of the looks, or above the drift of real clocks, is not a drift.
    let is_known = apart > 0.0 && (one + other) / apart < DRIFT && slope.abs() < 1e-3;
    let level = if early.error <= late.error {
        early
    } else {
        late
    };
    let (from, drift) = match is_known {
        true => (early, slope),
        false => (level, 0.0),
    };
    let conversion = Conversion {
        origin: from.at.nanos(),
        offset: by(from).clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64,
        drift,
    };
    let off = |at: i64| {
        let since = (i128::from(at) - i128::from(from.at.nanos())) as f64;
        match is_known {
            true => one * ((apart - since) / apart).abs() + other * (since / apart).abs(),
            false => level.error as f64 + DRIFT * since.abs(),
        }
    };
    let (begin, end) = span.unwrap_or((first, last));
    let bound = off(begin).max(off(end));
    let pairs: Vec<Pair> = looks
        .iter()
        .map(|look| Pair {
            from: look.at,
            to: look.theirs,
        })
        .collect();
    let uneven = looks.iter().zip(&pairs).map(|(look, pair)| {
        let rest = conversion
            .nanos(pair.from.nanos())
            .abs_diff(pair.to.nanos());
        rest.saturating_sub(look.error)
            .saturating_sub(off(pair.from.nanos()).ceil() as u64)
    });
    let uneven = uneven.max().unwrap_or(0);
    let fit = Fit::measured(&pairs, conversion);
    // One nanosecond for rounding.
    Some((
        fit,
        (bound.ceil() as u64)
            .saturating_add(uneven)
            .saturating_add(1),
    ))
}
