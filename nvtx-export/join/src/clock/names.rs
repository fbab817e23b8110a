//! The tie between the clock of a Legate profile and that of a session, by tasks and the ranges
//! that are named after them.
//!
//! A range is the body of a task: its message is the task's name and provenance, and it lies inside
//! the task's time. `vote` finds the offset between the clocks at which most ranges lie inside a
//! task of their name. `assign` matches each range to a task, on the processor of the range's
//! thread.

mod assign;
mod vote;

pub(crate) use assign::{Assignment, assign};

use super::fit::{Fit, Pair, Readings};
use crate::identify::Case;
use weft_trace::time::{Nanos, Timestamp};

/// The least distance by which a range may extend beyond its task while the clocks are only known
/// by the vote, in ns.
const FIRST_SLACK: i64 = 20_000;

/// The number of rounds of matching and fitting. Matches show the drift, and the drift allows more
/// matches.
const ROUNDS: usize = 6;

/// The least distance once the clocks are fitted, in ns: the time of two readings of clocks.
const LEAST_SLACK: i64 = 2_000;

/// Returns the conversion from the clock of a case's tasks to that of its ranges. `wall` is the
/// offset of the wall clock.
pub(super) fn fit(case: &Case<'_>, wall: Option<i64>) -> Option<(Fit, Readings)> {
    let mut readings = None;
    let (mut fit, rough) = vote::fit(case, wall)?;
    let mut slack = rough.max(FIRST_SLACK);
    let mut matched = 0;
    for round in 0..ROUNDS {
        let assignment = assign::assign(case, &fit.conversion, slack, false);
        if round > 1 && assignment.pairs.len() <= matched {
            break;
        }
        matched = assignment.pairs.len();
        fit = refit(case, &assignment)?;
        readings = self::readings(case, &assignment).or(readings);
        slack = slack_of(error(&fit));
    }
    Some((fit, readings?))
}

/// Returns the times of matched bodies, with errors: half of the difference in length between task
/// and body.
fn readings(case: &Case<'_>, assignment: &Assignment) -> Option<Readings> {
    let each = assignment.pairs.iter().filter_map(|&(range, task)| {
        let (range, task) = (case.range(range)?, case.task(task)?);
        let lengths = [range, task].map(|(start, end)| (end - start).0);
        let longer = lengths[0].abs_diff(lengths[1]);
        Some((middle(task), longer.div_ceil(2)))
    });
    Readings::from_pairs(each)
}

/// Returns the error of a fit of bodies, in ns. Some bodies begin late for other reasons, but most
/// do not.
pub(super) fn error(fit: &Fit) -> u64 {
    fit.error().min(fit.residual_median.saturating_mul(4))
}

/// Returns the distance by which a range may extend beyond its task if the error of clocks is
/// `error` ns.
pub(crate) fn slack_of(error: u64) -> i64 {
    let error = i64::try_from(error).unwrap_or(i64::MAX);
    error.saturating_mul(2).max(LEAST_SLACK)
}

/// Fits the middles of ranges and tasks, or their starts, and returns the better fit. A task on a
/// CPU ends with its range, and its middle has the least error; a task on a GPU ends later.
fn refit(case: &Case<'_>, assignment: &Assignment) -> Option<Fit> {
    let fit = |instant: fn((Timestamp, Timestamp)) -> Timestamp| {
        let pair = |&(range, task): &(u32, u32)| {
            let (to, from) = (instant(case.range(range)?), instant(case.task(task)?));
            Some(Pair { from, to })
        };
        let pairs: Vec<Pair> = assignment.pairs.iter().filter_map(pair).collect();
        Fit::from_pairs(&pairs)
    };
    let fits = [fit(middle), fit(|(start, _)| start)];
    fits.into_iter().flatten().min_by_key(error)
}

fn middle((start, end): (Timestamp, Timestamp)) -> Timestamp {
    start + Nanos((end - start).0 / 2)
}
