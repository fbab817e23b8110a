//! The waits that each line caused in dependent tasks.
//!
//! A task waited for the predecessor that ended last. Tasks and dependences are far more than fit
//! in memory. Both are spooled by UID and joined part by part: first each dependence with the task
//! it begins at, then with the task it ends at.

use super::feed;
use super::format::TimelineError;
use super::spool::{Spool, spooled};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};
use weft_database::Database;

/// Successive UIDs are in one part, because dependent tasks were mostly created at about the same
/// time.
const BLOCK: u32 = 18;

/// The number of parts. With ten million tasks each is about one block.
const PARTS: i64 = 64;

spooled! {
    /// A task.
    Ran { source: i64, uid: i64, created: i64, ready: i64, start: i64, end: i64, line: u32 }
}

spooled! {
    /// A dependence.
    Edge { source: i64, from: i64, to: i64 }
}

spooled! {
    /// A predecessor of a task.
    Before { source: i64, to: i64, start: i64, end: i64, line: u32 }
}

/// The part of a UID.
fn part(uid: i64) -> usize {
    (uid >> BLOCK).rem_euclid(PARTS) as usize
}

/// Returns tasks in the order of their UIDs. If a damaged trace has several with one UID, the first
/// counts: with all of them the work would grow with the square of the trace.
fn tasks(spool: &Spool<Ran>, part: usize) -> Result<Vec<Ran>, TimelineError> {
    let mut tasks = spool.read(part)?;
    tasks.sort_by_key(|task| (task.uid, task.source));
    tasks.dedup_by_key(|task| (task.uid, task.source));
    Ok(tasks)
}

/// Returns the task with a UID, and its place.
fn find_task(tasks: &[Ran], uid: i64, source: i64) -> Option<(usize, &Ran)> {
    let place = tasks.binary_search_by_key(&(uid, source), |task| (task.uid, task.source));
    let place = place.ok()?;
    Some((place, tasks.get(place)?))
}

/// Returns for each line the time that created tasks were not ready while their last predecessor,
/// of the line, ran.
///
/// # Errors
/// Returns an error if a table cannot be read, or there is no room for temporary files.
pub(super) fn by_line(database: &Database) -> Result<Vec<u64>, TimelineError> {
    let mut failed = None;
    let mut keep = |kept: Result<(), TimelineError>| {
        let kept = kept.map_err(|error| failed.get_or_insert(error));
        kept.is_ok()
    };
    let mut ran = Spool::default();
    let lines = feed::each_task(database, |task| keep(ran.push(part(task.uid), task)))?;
    let mut edges = Spool::default();
    feed::each_dependence(database, |edge| keep(edges.push(part(edge.from), edge)))?;
    match failed {
        Some(error) => Err(error),
        None => sum(&ran, &edges, lines),
    }
}

fn sum(ran: &Spool<Ran>, edges: &Spool<Edge>, lines: usize) -> Result<Vec<u64>, TimelineError> {
    let before = Mutex::new(Spool::default());
    (0..edges.parts()).into_par_iter().try_for_each(|at| {
        let tasks = tasks(ran, at)?;
        let edges = edges.read(at)?;
        let rows = edges.iter().filter_map(|edge| {
            let (_, task) = find_task(&tasks, edge.from, edge.source)?;
            Some(Before {
                source: edge.source,
                to: edge.to,
                start: task.start,
                end: task.end,
                line: task.line,
            })
        });
        let rows: Vec<Before> = rows.collect();
        let mut before = before.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = rows.iter();
        all.try_for_each(|row| before.push(part(row.to), row))
    })?;
    let before = before.into_inner().unwrap_or_else(PoisonError::into_inner);
    let sums = (0..before.parts()).into_par_iter().map(|at| {
        let tasks = tasks(ran, at)?;
        // The predecessor that ended last; of several, the one that began first.
        let order = |row: &Before| (row.end, Reverse(row.start), Reverse(row.line));
        let mut last: Vec<Option<Before>> = vec![None; tasks.len()];
        for row in before.read(at)? {
            let place = find_task(&tasks, row.to, row.source).map(|found| found.0);
            if let Some(last) = place.and_then(|place| last.get_mut(place))
                && last.is_none_or(|known| order(&row) > order(&known))
            {
                *last = Some(row);
            }
        }
        let mut sums = vec![0_u64; lines];
        for (task, last) in tasks.iter().zip(&last) {
            let Some(last) = last else { continue };
            let from = last.start.max(task.created);
            let caused = last.end.min(task.ready).saturating_sub(from).max(0);
            if let Some(sum) = sums.get_mut(last.line as usize) {
                *sum = sum.saturating_add(caused.cast_unsigned());
            }
        }
        Ok(sums)
    });
    sums.try_reduce(
        || vec![0; lines],
        |mut one, other| {
            for (sum, more) in one.iter_mut().zip(other) {
                *sum = sum.saturating_add(more);
            }
            Ok(one)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn caused_times_match_exhaustive_search(
            tasks in prop::collection::vec((0_i64..3, 0_i64..50, prop::array::uniform4(0_i64..20), 0_u32..4), 0..30),
            edges in prop::collection::vec((0_usize..30, 0_usize..30), 0..60),
        ) {
            let tasks: Vec<Ran> = (0..)
                .zip(tasks)
                .map(|(number, (far, created, [wait, queue, run, gap], line))| {
                    // In several parts.
                    let uid = (far << 40) + (number << (BLOCK - 2)) + gap;
                    let ready = created + wait;
                    let start = ready + queue;
                    Ran { source: far % 2, uid, created, ready, start, end: start + run, line }
                })
                .collect();
            let edges: Vec<(Ran, Ran)> = edges
                .iter()
                .filter_map(|(from, to)| Some((*tasks.get(*from)?, *tasks.get(*to)?)))
                .filter(|(from, to)| from.source == to.source && from.uid != to.uid)
                .collect();
            let mut ran = Spool::default();
            for task in &tasks {
                ran.push(part(task.uid), task).unwrap();
            }
            let mut spooled = Spool::default();
            for (from, to) in &edges {
                let edge = Edge { source: from.source, from: from.uid, to: to.uid };
                spooled.push(part(from.uid), &edge).unwrap();
            }
            let mut expected = vec![0; 4];
            for task in &tasks {
                let before = edges.iter().filter(|(_, to)| to == task);
                let last = before.max_by_key(|(from, _)| (from.end, Reverse(from.start), Reverse(from.line)));
                if let Some((last, _)) = last {
                    let both = last.end.min(task.ready) - last.start.max(task.created);
                    expected[last.line as usize] += both.max(0) as u64;
                }
            }
            prop_assert_eq!(sum(&ran, &spooled, 4).unwrap(), expected);
        }
    }
}
