//! Rule 13: a copy on the critical path whose data was available long before.

use super::{Candidate, Facts, bytes, count, nanos};
use crate::replay::{Change, NodeIndex};
use std::collections::BTreeMap;
use weft_model::StepKind;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut lines: BTreeMap<_, (Vec<NodeIndex>, i64, u64)> = BTreeMap::new();
    for (at, node) in facts.of_kind(StepKind::Copy) {
        if !facts.is_on_path(at) || facts.copy(node).is_none_or(|copy| copy.from.is_none()) {
            continue;
        }
        let made = facts
            .data(at)
            .filter_map(|before| Some(facts.graph.node(before)?.end()));
        let made = made.max().unwrap_or(0);
        let line = facts.graph.line(at);
        if node.start - made >= node.duration.max(1) && line.0 != 0 {
            let own = lines.entry(line).or_default();
            own.0.push(at);
            own.1 += node.duration;
            own.2 += node.bytes;
        }
    }
    let candidate = |(line, (nodes, time, sum)): (_, (Vec<NodeIndex>, i64, u64))| Candidate {
        lines: vec![line],
        evidence: vec![
            count("copies on the critical path", nodes.len()),
            nanos("that take", time),
            bytes("moved", sum),
        ],
        changes: vec![Change::Early { nodes }],
        ..Candidate::default()
    };
    lines.into_iter().map(candidate).collect()
}
