//! The clock of a profile of Legate and that of a session, by tasks and the ranges that are named after them.
//!
//! A range is the body of a task: it has the task's name and provenance as its message, and lies inside the task's
//! time. `vote` finds how far the two clocks are apart, by which offset
//! most ranges lie inside a task of their name; `assign` gives each range its task, on the processor whose tasks the
//! ranges of its thread lie in.

mod assign;
mod vote;

pub(crate) use assign::{Assignment, assign};

use super::fit::{Fit, Pair, Readings};
use crate::identify::Case;
use weft_trace::time::{Nanos, Timestamp};

/// The least that a range may reach out of its task while the clocks are known by the vote only, in ns.
const FIRST_SLACK: i64 = 20_000;

/// Times to match and fit: what was matched shows the drift, and that more to match.
const ROUNDS: usize = 6;

/// The least once they are fitted, in ns: what two readings of clocks take.
const LEAST_SLACK: i64 = 2_000;

/// Returns the clock of the tasks of a case to that of its ranges. `wall` is what to add by the
/// wall clock.
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

/// When the bodies of an assignment ran, and how far each may be off in its task: by half of what the task is longer.
fn readings(case: &Case<'_>, assignment: &Assignment) -> Option<Readings> {
    let each = assignment.pairs.iter().filter_map(|&(range, task)| {
        let (range, task) = (case.range(range)?, case.task(task)?);
        let lengths = [range, task].map(|(start, end)| (end - start).0);
        let longer = lengths[0].abs_diff(lengths[1]);
        Some((middle(task), longer.div_ceil(2)))
    });
    Readings::of(each)
}

/// How far the clocks of a fit of bodies may be off, in ns. Bodies begin late for reasons of their own; most of them do
/// not.
pub(super) fn error(fit: &Fit) -> u64 {
    fit.error().min(fit.residual_median.saturating_mul(4))
}

/// How far a range may reach out of its task where clocks are `error` ns off.
pub(crate) fn slack_of(error: u64) -> i64 {
    let error = i64::try_from(error).unwrap_or(i64::MAX);
    error.saturating_mul(2).max(LEAST_SLACK)
}

/// Of the middles of ranges and tasks, or of their starts: the one that agrees better. A task on a CPU ends with its
/// range, and the middle is misread least; one on a GPU ends later.
fn refit(case: &Case<'_>, assignment: &Assignment) -> Option<Fit> {
    let fit = |instant: fn((Timestamp, Timestamp)) -> Timestamp| {
        let pair = |&(range, task): &(u32, u32)| {
            let (to, from) = (instant(case.range(range)?), instant(case.task(task)?));
            Some(Pair { from, to })
        };
        let pairs: Vec<Pair> = assignment.pairs.iter().filter_map(pair).collect();
        Fit::of(&pairs)
    };
    let fits = [fit(middle), fit(|(start, _)| start)];
    fits.into_iter().flatten().min_by_key(error)
}

fn middle((start, end): (Timestamp, Timestamp)) -> Timestamp {
    start + Nanos((end - start).0 / 2)
}
