//! Rule 20: the program's own time before its calls.

use super::super::facts::total;
use super::{Candidate, EVEN, Facts, count, nanos};
use crate::replay::{Change, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::{ProvenanceIndex, SourceIndex, StepKind};

/// The least time of a line itself, relative to the run.
const MUCH: f64 = 0.03;
/// The runtime's own time in a call, in ns, which no change of the program saves.
const CALL: i64 = 10_000;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    // A report of Nsight Systems is also a source, but not a rank.
    let programs = facts.of_kind(StepKind::Program);
    let ranks: FxHashSet<SourceIndex> = programs.map(|(_, node)| node.source).collect();
    for line in facts.by_line.keys() {
        let own: Vec<_> = (facts.of_line(*line, StepKind::Program))
            .filter(|(at, node)| facts.is_on_path(*at) && node.duration > CALL)
            .collect();
        let time = total(own.iter().map(|row| row.1));
        if (time as f64) < facts.baseline.replayed as f64 * MUCH {
            continue;
        }
        let nodes: Vec<(NodeIndex, i64)> = own.iter().map(|row| (row.0, CALL)).collect();
        found.push(Candidate {
            lines: vec![*line],
            evidence: vec![
                count("times", nodes.len()),
                nanos("of the program's own time", time),
            ],
            assumes: Some("the program does nothing else before this line's calls".to_owned()),
            changes: vec![Change::Take { nodes }],
            // Dividing it among ranks saves less than removing it, but should be tried first.
            is_ceiling: is_of_some_ranks(facts, *line, ranks.len()),
            ..Candidate::default()
        });
    }
    found
}

/// Returns whether some of several ranks take longer for a line than others.
fn is_of_some_ranks(facts: &Facts<'_>, line: ProvenanceIndex, ranks: usize) -> bool {
    let mut own: FxHashMap<SourceIndex, i64> = FxHashMap::default();
    for (_, node) in facts.of_line(line, StepKind::Program) {
        *own.entry(node.source).or_default() += node.duration;
    }
    let mean = own.values().sum::<i64>() as f64 / ranks.max(1) as f64;
    let most = own.values().copied().max().unwrap_or(0);
    most as f64 > mean * EVEN
}
