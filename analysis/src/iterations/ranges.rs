//! The loop of a program without operations, from NVTX ranges that repeat.
//!
//! Ranges with the same message, domain and thread are iterations if there are at least
//! [`LEAST_BY_LINE`] of them, none overlaps the next one, and their periods are similar: the times
//! from the start of one to the start of the next. Numbers in messages are ignored, so that `step
//! 7` repeats. Of several loops, the outer one has the ranges with most time. Uneven ranges are not
//! a loop.

use super::LEAST_BY_LINE;
use super::times::{LoopTimes, described, median};
use std::collections::BTreeMap;
use weft_model::{RangeKind, SourceIndex, StringIndex, Trace, fold};
use weft_trace::time::Timestamp;

/// The smallest fraction of periods that must be near their median.
const MOSTLY: f64 = 0.8;
/// The largest ratio of a period near the median to the median, in either direction.
const NEAR: i64 = 2;

/// Ranges that are the iterations of a loop.
pub(crate) struct RangeLoop {
    /// The message, with `#` for each number.
    name: String,
    pub(crate) times: LoopTimes,
}

impl RangeLoop {
    /// Returns the loop whose ranges take most time; `None` if there are operations, or no ranges
    /// repeat evenly.
    pub(crate) fn detect(trace: &Trace) -> Option<RangeLoop> {
        if !trace.program.operations.is_empty() {
            return None;
        }
        type Spans = Vec<(Timestamp, Timestamp)>;
        let mut groups: BTreeMap<(SourceIndex, i64, StringIndex, String), Spans> = BTreeMap::new();
        for range in &trace.work.ranges {
            let is_closed = !range.open && range.end_thread.is_none();
            if is_closed && !range.weft && range.kind == RangeKind::PushPop {
                let text = trace.strings.get(range.text);
                let name = fold(text).unwrap_or_else(|| text.to_owned());
                let key = (range.source, range.thread, range.domain, name);
                let spans = groups.entry(key).or_default();
                spans.push((range.start, range.end));
            }
        }
        let mut longest: Option<(i64, RangeLoop)> = None;
        for ((_, _, _, name), mut spans) in groups {
            spans.sort_unstable();
            let time = spans.iter().map(|(start, end)| (*end - *start).0).sum();
            let is_longer = longest.as_ref().is_none_or(|(known, _)| *known < time);
            if is_longer && !name.is_empty() && is_even(&spans) {
                let times = LoopTimes::of_spans(spans);
                longest = Some((time, RangeLoop { name, times }));
            }
        }
        longest.map(|(_, found)| found)
    }

    /// Returns a sentence with the number and the times of the iterations; `None` if they took no
    /// time.
    pub(super) fn note(&self) -> Option<String> {
        let text = described(&self.times.lengths(), self.times.steady_part(), false)?;
        Some(format!(
            "the loop of NVTX ranges `{}` has {text}",
            self.name
        ))
    }
}

/// Returns whether ranges follow each other with similar periods.
fn is_even(spans: &[(Timestamp, Timestamp)]) -> bool {
    let pairs = || spans.iter().zip(spans.iter().skip(1));
    if spans.len() < LEAST_BY_LINE || pairs().any(|(one, next)| next.0 < one.1) {
        return false;
    }
    let periods: Vec<i64> = pairs().map(|(one, next)| (next.0 - one.0).0).collect();
    let usual = median(&periods);
    let near = periods
        .iter()
        .filter(|period| **period <= usual.saturating_mul(NEAR) && **period >= usual / NEAR);
    usual > 0 && near.count() as f64 >= periods.len() as f64 * MOSTLY
}
