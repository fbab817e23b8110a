//! Rule 11: data is copied from one memory to another and back, without a change in between.

use super::{Candidate, Facts, bytes, count};
use crate::replay::{Change, NodeIndex};
use std::collections::BTreeMap;
use weft_model::StepKind;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let mut lines: BTreeMap<_, (Vec<NodeIndex>, u64)> = BTreeMap::new();
    for (at, node) in facts.of_kind(StepKind::Copy) {
        let Some(back) = facts.copy(node) else {
            continue;
        };
        let (to, from) = (back.to, back.from);
        // Results of tasks since the first copy are other data.
        let made = facts.data(at).filter_map(|before| facts.graph.node(before));
        let made: Vec<_> = made.collect();
        let is_return = made.iter().all(|before| before.kind == StepKind::Copy)
            && made
                .iter()
                .filter_map(|before| facts.copy(before))
                .any(|there| {
                    there.source == back.source
                        && there.from == Some(to)
                        && Some(there.to) == from
                        && there.bytes == back.bytes
                });
        if is_return && facts.graph.line(at).0 != 0 {
            let own = lines.entry(facts.graph.line(at)).or_default();
            own.0.push(at);
            own.1 += back.bytes;
        }
    }
    let candidate = |(line, (nodes, sum)): (_, (Vec<NodeIndex>, u64))| Candidate {
        lines: vec![line],
        evidence: vec![
            count("copies of data that is already there", nodes.len()),
            bytes("moved", sum),
        ],
        changes: vec![Change::Remove { nodes }],
        ..Candidate::default()
    };
    lines.into_iter().map(candidate).collect()
}
