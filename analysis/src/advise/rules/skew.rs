//! Rule 8: the tasks of an operation take different times.

use super::{Candidate, Facts, count, nanos, share};
use crate::replay::{Change, NodeIndex};
use rustc_hash::FxHashMap;
use weft_model::StepKind;

/// The least ratio of the longest task to the mean for uneven tasks.
const UNEVEN: f64 = 1.3;
/// The least duration of operations in ns. Shorter ones are uneven by chance.
const LARGE: i64 = 200_000;
/// The fraction of a line's operations that must be uneven. Single ones are uneven by chance.
const MOSTLY: f64 = 0.6;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for line in facts.by_line.keys() {
        let mut operations: FxHashMap<_, Vec<(NodeIndex, i64)>> = FxHashMap::default();
        for (at, node) in facts
            .of_line(*line, StepKind::Task)
            .filter(|row| row.1.pool.is_some())
        {
            let own = operations.entry((node.source, node.operation)).or_default();
            own.push((at, node.duration));
        }
        operations.retain(|_, tasks| {
            tasks.len() > 1 && tasks.iter().map(|row| row.1).sum::<i64>() > LARGE
        });
        let all = operations.len();
        let mean = |tasks: &[(NodeIndex, i64)]| {
            tasks.iter().map(|row| row.1).sum::<i64>() / tasks.len() as i64
        };
        let longest = |tasks: &[(NodeIndex, i64)]| tasks.iter().map(|row| row.1).max().unwrap_or(0);
        operations.retain(|_, tasks| longest(tasks) as f64 > mean(tasks) as f64 * UNEVEN);
        if all == 0 || (operations.len() as f64) < all as f64 * MOSTLY {
            continue;
        }
        let over: i64 = operations
            .values()
            .map(|tasks| longest(tasks) - mean(tasks))
            .sum();
        let most: i64 = operations.values().map(|tasks| longest(tasks)).sum();
        let even = operations.values().flat_map(|tasks| {
            let mean = mean(tasks);
            tasks.iter().map(move |row| (row.0, mean))
        });
        let mut even: Vec<(NodeIndex, i64)> = even.collect();
        even.sort_unstable();
        found.push(Candidate {
            lines: vec![*line],
            evidence: vec![
                count("uneven operations", operations.len()),
                nanos("longest tasks over the mean", over),
                share("of the longest tasks", over as f64 / most.max(1) as f64),
            ],
            changes: vec![Change::Take { nodes: even }],
            ..Candidate::default()
        });
    }
    found
}
