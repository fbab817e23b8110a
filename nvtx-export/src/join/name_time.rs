//! Legate's ranges carry no UID. They are matched to the tasks of its profile by name, provenance and time, one to one.
//!
//! A range is the body of a task: it has the task's name and provenance as its message, and lies inside the task's
//! time. [`Bodies`] says which tasks a message can mean; `vote` finds how far the two clocks are apart, by which offset
//! most ranges lie inside a task of their name; `assign` gives each range its task, on the processor whose tasks the
//! ranges of its thread lie in.

mod assign;
mod bodies;
mod text;
mod vote;

pub(crate) use bodies::Bodies;

use super::Lookup;
use crate::clock::{Conversion, Fit, Pair};
use crate::joined::{Joined, LossRow, RangeTask, Severity, SourceIndex};
use assign::Assignment;
use bodies::Case;
use weft_trace::time::{Nanos, Timestamp};

/// The least that a range may reach out of its task while the clocks are known by the vote only, in ns.
const FIRST_SLACK: i64 = 20_000;

/// Times to match and fit: what was matched shows the drift, and that more to match.
const ROUNDS: usize = 6;

/// The least once they are fitted, in ns: what two readings of clocks take.
const LEAST_SLACK: i64 = 2_000;

/// The clock of `file` to that of `session`, whose `process` wrote it. `wall` is what to add by the wall clock.
pub(crate) fn fit(
    joined: &Joined,
    bodies: &Bodies,
    file: SourceIndex,
    (session, process): (SourceIndex, i64),
    wall: Option<i64>,
) -> Option<Fit> {
    let case = Case::of(joined, bodies, file, session, process);
    let (mut fit, rough) = vote::fit(&case, wall)?;
    let mut slack = rough.max(FIRST_SLACK);
    let mut matched = 0;
    for round in 0..ROUNDS {
        let assignment = assign::assign(&case, &fit.conversion, slack, false);
        if round > 1 && assignment.pairs.len() <= matched {
            break;
        }
        matched = assignment.pairs.len();
        fit = refit(&case, &assignment)?;
        slack = slack_of(error(&fit));
    }
    Some(fit)
}

/// How far the clocks of a fit of bodies may be off, in ns. Bodies begin late for reasons of their own; most of them do
/// not.
pub(crate) fn error(fit: &Fit) -> u64 {
    fit.error().min(fit.residual_median.saturating_mul(4))
}

/// How far a range may reach out of its task where clocks are `error` ns off.
fn slack_of(error: u64) -> i64 {
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

/// Matches ranges and tasks, whose times are on one clock, and writes the counts down.
pub(super) fn link(joined: &mut Joined, lookup: &Lookup) -> Vec<RangeTask> {
    let files: Vec<SourceIndex> = lookup.bodies.sources().collect();
    if files.is_empty() {
        return Vec::new();
    }
    let mut links = Vec::new();
    let (mut ranges, mut tasks, mut ambiguous, mut rejected) = (0, 0, 0, 0);
    for file in files {
        for &(session, process) in lookup.owners.processes(file) {
            let case = Case::of(joined, &lookup.bodies, file, session, process);
            let error = [file, session].map(|source| joined.clock_error(source).rows);
            let error = error[0].saturating_add(error[1]);
            let assignment = assign::assign(&case, &Conversion::default(), slack_of(error), true);
            ranges += case.ranges();
            tasks += case.tasks();
            ambiguous += assignment.ambiguous;
            rejected += assignment.rejected;
            links.extend(assignment.pairs.iter().filter_map(|&(range, task)| {
                let task = joined.tasks.get(task as usize)?;
                Some(RangeTask {
                    range: crate::joined::RangeIndex(range),
                    source: task.source,
                    task: task.uid,
                })
            }));
        }
    }
    links.sort_unstable_by_key(|link| link.range);
    let matched = links.len();
    let meta = &mut joined.meta;
    meta.set("name_time_ranges", ranges);
    meta.set("name_time_tasks", tasks);
    meta.set("name_time_matched", matched);
    meta.set("name_time_ambiguous", ambiguous);
    meta.set("name_time_rejected", rejected);
    for (name, value, meaning) in [
        (
            "name_time_ranges_unmatched",
            ranges - matched,
            "ranges named like tasks of a profile that lie inside none of them, or inside several alike",
        ),
        (
            "name_time_tasks_unmatched",
            tasks.saturating_sub(matched),
            "tasks of a profile that ranges are named after, in which none was found",
        ),
    ] {
        joined.losses.push(LossRow {
            source: None,
            name: name.to_owned(),
            severity: Severity::Note,
            value: value as u64,
            meaning: meaning.to_owned(),
        });
    }
    links
}
