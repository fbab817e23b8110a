//! Rule 12: a copy of data that its destination already had.

use super::{Candidate, Facts, bytes, count};
use crate::replay::{Change, NodeIndex};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use weft_model::StepKind;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut seen = FxHashSet::default();
    let mut lines: BTreeMap<_, (Vec<NodeIndex>, u64)> = BTreeMap::new();
    for (at, node) in facts.of_kind(StepKind::Copy) {
        let Some(copy) = facts.copy(node) else {
            continue;
        };
        // The tasks that wrote the data identify its version.
        let mut made: Vec<NodeIndex> = (facts.data(at))
            .filter(|before| {
                facts
                    .graph
                    .node(*before)
                    .is_some_and(|before| before.kind == StepKind::Task)
            })
            .collect();
        made.sort_unstable();
        if made.is_empty() || copy.from.is_none() {
            continue;
        }
        let is_first = seen.insert((copy.source, copy.from, copy.to, copy.bytes, made));
        if !is_first && facts.graph.line(at).0 != 0 {
            let own = lines.entry(facts.graph.line(at)).or_default();
            own.0.push(at);
            own.1 += copy.bytes;
        }
    }
    let candidate = |(line, (nodes, sum)): (_, (Vec<NodeIndex>, u64))| Candidate {
        lines: vec![line],
        evidence: vec![
            count("copies of the same data to the same memory", nodes.len()),
            bytes("moved", sum),
        ],
        assumes: Some(
            "copies of the same number of bytes from the same tasks have the same data".to_owned(),
        ),
        changes: vec![Change::Remove { nodes }],
        ..Candidate::default()
    };
    lines.into_iter().map(candidate).collect()
}
