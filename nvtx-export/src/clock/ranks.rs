//! Looks of one rank at another's clock: what ties ranks of several boots, and what checks those of one.
//!
//! A look is the other rank's clock, read between two readings of one's own, so that it is off by half of what lies between them at
//! most. Of the looks near the beginning and of those near the end the best two make a line. As far as both clocks run evenly, that
//! line is off by no more than the two looks let it be; looks that lie further from it than they can be off tell how far they do not.

use super::align::Alignment;
use super::conversion::Conversion;
use super::fit::{Fit, Pair};
use super::ties::{Clock, Edge, Tie};
use crate::joined::{Joined, LossRow, RankLook, RunIndex, Severity, SourceIndex};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What two clocks may drift apart where nothing tells: oscillators of computers are within a hundred parts in a million.
const DRIFT: f64 = 1e-4;

/// The part of the time between the first and the last look that counts as the beginning, and as the end.
const NEAR: i64 = 8;

/// Ties between ranks by the looks at each other's clocks.
pub(super) fn edges(joined: &Joined) -> Vec<Edge> {
    let sources = sources(joined);
    let spans = spans(joined);
    let tie = |((source, peer), looks): ((SourceIndex, u16), Vec<&RankLook>)| {
        let run = joined.run_of(source);
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
    by_pair(joined).into_iter().filter_map(tie).collect()
}

fn sources(joined: &Joined) -> FxHashMap<(RunIndex, u16), SourceIndex> {
    let sources = (0..).map(SourceIndex).zip(&joined.sources);
    sources
        .filter_map(|(index, source)| Some(((source.run, source.rank?), index)))
        .collect()
}

fn by_pair(joined: &Joined) -> BTreeMap<(SourceIndex, u16), Vec<&RankLook>> {
    let mut pairs: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for look in &joined.rank_looks {
        let looks = pairs.entry((look.source, look.peer)).or_default();
        looks.push(look);
    }
    for looks in pairs.values_mut() {
        looks.sort_by_key(|look| look.at);
    }
    pairs
}

/// The first and the last time of what each source that looked at clocks recorded, on its own clock.
fn spans(joined: &Joined) -> FxHashMap<SourceIndex, (i64, i64)> {
    let mut spans = FxHashMap::default();
    let mut see = |source: SourceIndex, at: i64| {
        let span = spans.entry(source).or_insert((at, at));
        *span = (span.0.min(at), span.1.max(at));
    };
    for look in &joined.rank_looks {
        see(look.source, look.at.nanos());
    }
    for launch in &joined.launches {
        see(launch.source, launch.start.nanos());
        see(launch.source, launch.end.nanos());
    }
    for operation in &joined.operations {
        see(operation.source, operation.created.nanos());
    }
    spans
}

/// The conversion that sorted looks tell, and how far it is off at most between `span`, in ns, where both clocks run evenly.
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
    // What is less than the looks can be off by, or more than clocks drift, is no drift.
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
    // A nanosecond for rounding.
    Some((
        fit,
        (bound.ceil() as u64)
            .saturating_add(uneven)
            .saturating_add(1),
    ))
}

/// Says what looks tell of clocks that are on one base, and counts those that contradict it. `alignments` are those of the sources.
pub(super) fn check(joined: &mut Joined, alignments: &[Alignment]) {
    let sources = sources(joined);
    let of = |source: SourceIndex| alignments.get(source.0 as usize);
    let mut facts = Vec::new();
    let mut contradicting = 0;
    for ((source, peer), looks) in by_pair(joined) {
        let best = looks.iter().map(|look| look.error).min().unwrap_or(0);
        let key = format!("source_{}_rank_{peer}_looks", source.id());
        facts.push((key.clone(), looks.len().to_string()));
        facts.push((format!("{key}_error_ns"), best.to_string()));
        let other = sources.get(&(joined.run_of(source), peer));
        let (Some(own), Some(other)) = (of(source), other.and_then(|other| of(*other))) else {
            continue;
        };
        let rest = |look: &RankLook| {
            let own = own.conversion.nanos(look.at.nanos());
            i128::from(other.conversion.nanos(look.theirs.nanos())) - i128::from(own)
        };
        if let Some(look) = looks.iter().min_by_key(|look| look.error) {
            facts.push((format!("{key}_offset_ns"), rest(look).to_string()));
        }
        let bound = own.error.saturating_add(other.error).saturating_add(2);
        contradicting += looks
            .iter()
            .filter(|look| rest(look).unsigned_abs() > u128::from(look.error.saturating_add(bound)))
            .count();
    }
    for (key, value) in facts {
        joined.meta.set(key, value);
    }
    count(
        joined,
        "clock_looks_contradict",
        contradicting,
        "looks at another rank's clock that lie further from how the clocks were tied than they can be off",
    );
}

/// Counts messages that were received before they were sent, by more than their clocks may be off.
pub(super) fn check_messages(joined: &mut Joined) {
    let early = joined.messages.iter().filter(|message| {
        let (Some(sent), Some(received)) = (&message.sent, &message.received) else {
            return false;
        };
        let [from, to] = [sent, received].map(|side| joined.clock_error(side.source).rows);
        let early = i128::from(sent.passed.nanos()) - i128::from(received.passed.nanos());
        early > i128::from(from) + i128::from(to)
    });
    let early = early.count();
    count(
        joined,
        "messages_before_sent",
        early,
        "messages that came before they were sent by more than the clocks of their ranks may be off",
    );
}

fn count(joined: &mut Joined, name: &str, value: usize, meaning: &str) {
    if value > 0 {
        joined.losses.push(LossRow {
            source: None,
            name: name.to_owned(),
            severity: Severity::Loss,
            value: value as u64,
            meaning: meaning.to_owned(),
        });
    }
}
