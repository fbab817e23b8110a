//! Rule 14: a channel is busy with many small copies.

use super::{Candidate, Facts, bytes, count, nanos};
use crate::replay::{Change, NodeIndex};
use std::collections::BTreeMap;
use weft_model::StepKind;

/// The maximum size of small copies, in bytes.
const SMALL: u64 = 64 << 10;
/// The least number of small copies.
const MANY: usize = 50;
/// The number of copies that the simulated fix combines.
const JOINED: usize = 16;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut lines: BTreeMap<_, Vec<(NodeIndex, i64, u64)>> = BTreeMap::new();
    for kind in [StepKind::Copy, StepKind::Message] {
        for (at, node) in facts.of_kind(kind) {
            let Some(copy) = facts
                .copy(node)
                .filter(|copy| copy.bytes <= SMALL && copy.from.is_some())
            else {
                continue;
            };
            let line = facts.graph.line(at);
            if line.0 != 0 {
                let own = lines
                    .entry((line, copy.source, copy.from, copy.to))
                    .or_default();
                own.push((at, node.duration, copy.bytes));
            }
        }
    }
    let mut found = Vec::new();
    for ((line, ..), copies) in lines {
        if copies.len() < MANY {
            continue;
        }
        // The duration of the shortest copy is the fixed cost of any copy.
        let fixed = copies.iter().map(|row| row.1).min().unwrap_or(0);
        let later = copies
            .iter()
            .enumerate()
            .filter(|(row, _)| row % JOINED != 0)
            .map(|(_, row)| row);
        let nodes: Vec<(NodeIndex, i64)> = later.map(|row| (row.0, row.1 - fixed)).collect();
        let prompt = nodes.iter().map(|row| row.0).collect();
        found.push(Candidate {
            lines: vec![line],
            evidence: vec![
                count("small copies", copies.len()),
                bytes(
                    "each, the mean",
                    copies.iter().map(|row| row.2).sum::<u64>() / copies.len() as u64,
                ),
                nanos("in all", copies.iter().map(|row| row.1).sum()),
            ],
            assumes: Some(format!(
                "{JOINED} copies become one, and each copy costs at least the time of the shortest one"
            )),
            changes: vec![
                Change::Take { nodes },
                Change::Prompt {
                    nodes: prompt,
                    delay: 0,
                },
            ],
            ..Candidate::default()
        });
    }
    found
}
