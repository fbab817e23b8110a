//! Rule 1: the program waits for a scalar in a loop.

use super::{Candidate, Facts, count, nanos};
use crate::critical::StepKind;
use crate::replay::{Change, NodeIndex};

/// A wait happens in a loop if it happens so often.
const LOOP: usize = 4;
/// The fix that is simulated keeps every so-manyth wait.
const KEPT: usize = 10;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for line in facts.by_line.keys() {
        // A wait is worth dropping if what it waited for came after the program did.
        let blocked: Vec<(NodeIndex, i64)> = (facts.of_line(*line, StepKind::Wait))
            .filter_map(|(at, _)| Some((at, blocked(facts, at)?)))
            .filter(|(_, time)| *time > 0)
            .collect();
        if blocked.len() < LOOP {
            continue;
        }
        let dropped = blocked.iter().enumerate();
        let dropped = dropped.filter(|(row, _)| row % KEPT != KEPT - 1);
        found.push(Candidate {
            lines: vec![*line],
            evidence: vec![
                count("waits", blocked.len()),
                nanos("blocked for", blocked.iter().map(|row| row.1).sum()),
            ],
            assumes: Some(format!("the value is read every {KEPT}th time")),
            changes: vec![Change::DropWaits {
                nodes: dropped.map(|(_, row)| row.0).collect(),
            }],
            ..Candidate::default()
        });
    }
    found
}

/// How long the program was held up, in ns.
fn blocked(facts: &Facts<'_>, at: NodeIndex) -> Option<i64> {
    let node = facts.graph.node(at)?;
    let before = facts.graph.before(at).iter();
    let came = before.filter(|edge| edge.kind == crate::replay::EdgeKind::Order);
    let came = came
        .filter_map(|edge| Some(facts.graph.node(edge.node)?.end()))
        .max();
    let awaits = facts
        .graph
        .before(at)
        .iter()
        .any(|edge| edge.kind == crate::replay::EdgeKind::Wait);
    awaits.then_some(node.start - came.unwrap_or(node.start))
}
