//! Rule 15: copies of arrays that other operations read once, as `roll` makes them.

use super::{Candidate, Facts, count, nanos, share};
use crate::critical::StepKind;
use crate::joined::ProvenanceIndex;
use crate::replay::{Change, NodeIndex};
use std::collections::BTreeMap;

/// The part of a line's task time from which on it goes mostly into copying.
const MOST: f64 = 0.4;
/// Fewest copies of a line.
const MANY: usize = 8;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut lines: BTreeMap<ProvenanceIndex, (Vec<NodeIndex>, i64)> = BTreeMap::new();
    for (at, node) in facts.of_kind(StepKind::Task) {
        // A copy of what the same line has just made is an assignment to a part of an array, whose values have to get there.
        let line = facts.graph.line(at);
        let is_read = facts.readers(at).next().is_some();
        if line.0 == 0 || facts.name(node) != "copy" || !is_read || facts.graph.lines(at).len() > 1
        {
            continue;
        }
        let is_assignment = facts.task(node).is_some_and(|task| {
            let made = facts.made_from((task.source, task.uid)).iter();
            let mut lines = made.filter_map(|uid| facts.line_of_task(task.source, *uid));
            lines.any(|other| other == line)
        });
        if !is_assignment {
            let own = lines.entry(line).or_default();
            own.0.push(at);
            own.1 += node.duration;
        }
    }
    let mut found = Vec::new();
    for (line, (nodes, time)) in lines {
        let all: i64 = facts.tasks(line).iter().map(|row| row.2).sum();
        if nodes.len() < MANY || (time as f64) < MOST * all as f64 {
            continue;
        }
        found.push(Candidate {
            lines: vec![line],
            evidence: vec![
                count("copies", nodes.len()),
                nanos("copying", time),
                share(
                    "of the time of the line's tasks",
                    time as f64 / all.max(1) as f64,
                ),
            ],
            assumes: Some("what reads the copies reads slices of the array as fast".to_owned()),
            changes: vec![Change::Take {
                nodes: nodes.into_iter().map(|node| (node, 0)).collect(),
            }],
            ..Candidate::default()
        });
    }
    found
}
