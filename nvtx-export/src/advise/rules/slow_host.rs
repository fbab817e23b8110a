//! Rule 20: the program's own time before its calls.

use super::super::facts::total;
use super::{Candidate, Facts, count, nanos};
use crate::critical::StepKind;
use crate::replay::{Change, NodeIndex};

/// The part of the run from which on a line's own time counts.
const MUCH: f64 = 0.03;
/// What a call into the runtime takes itself, in ns: no change of the program saves that.
const CALL: i64 = 10_000;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
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
            ..Candidate::default()
        });
    }
    found
}
