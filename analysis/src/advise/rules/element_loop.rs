//! Rule 6: a loop over single elements, or a few at a time.

use super::super::facts::{median, total};
use super::{Candidate, Facts, count, nanos};
use crate::replay::{Change, NodeIndex};
use rustc_hash::FxHashSet;
use weft_model::{ProvenanceIndex, StepKind};

/// The least number of operations of a line in a loop.
const LOOP: usize = 64;
/// The maximum number of elements of an operation in a loop over elements.
const ELEMENTS: u64 = 16;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut lines: Vec<ProvenanceIndex> = facts.by_line.keys().copied().collect();
    lines.retain(|line| is_one(facts, *line));
    if lines.is_empty() {
        return Vec::new();
    }
    // The lines are usually those of one loop, and are interleaved.
    let (mut gone, mut waits, mut time, mut operations) = (Vec::new(), Vec::new(), 0, 0);
    let mut taken = Vec::new();
    for line in &lines {
        for kind in [
            StepKind::Program,
            StepKind::Analysis,
            StepKind::Issue,
            StepKind::Wait,
            StepKind::Task,
        ] {
            let rows: Vec<(NodeIndex, i64)> = (facts.of_line(*line, kind))
                .map(|(at, node)| (at, node.duration))
                .collect();
            time += rows.iter().map(|row| row.1).sum::<i64>();
            let usual = median(rows.iter().map(|row| row.1).collect());
            taken.extend(rows.first().map(|row| (row.0, usual)));
            let others = rows.iter().skip(1).map(|row| row.0);
            match kind {
                StepKind::Wait => waits.extend(others),
                StepKind::Task => {
                    operations += rows.len();
                    gone.extend(others);
                }
                _ => gone.extend(others),
            }
        }
    }
    vec![Candidate {
        lines,
        evidence: vec![
            count("operations on a few elements", operations),
            nanos("in all", time),
        ],
        assumes: Some("one operation on all elements takes as long as one on a few".to_owned()),
        changes: vec![
            Change::Remove { nodes: gone },
            Change::DropWaits { nodes: waits },
            Change::Take { nodes: taken },
        ],
        ..Candidate::default()
    }]
}

/// Returns whether a line is in a loop over elements.
pub(super) fn is_one(facts: &Facts<'_>, line: ProvenanceIndex) -> bool {
    let tasks: Vec<_> = facts.of_line(line, StepKind::Task).collect();
    let operations: FxHashSet<_> = tasks
        .iter()
        .map(|(_, node)| (node.source, node.operation))
        .collect();
    let few = tasks.iter().filter(|(_, node)| {
        facts
            .elements(node)
            .is_some_and(|elements| elements <= ELEMENTS)
    });
    operations.len() >= LOOP
        && few.count() * 10 >= tasks.len() * 9
        && total(tasks.iter().map(|row| row.1)) < tasks.len() as i64 * 100_000
        // Lines that only read values are not loops over elements, but are covered by rule 1.
        && tasks.iter().filter(|(_, node)| facts.name(node) == "read").count() * 10 <= tasks.len()
}
