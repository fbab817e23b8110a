//! Rule 16: work waits until its memory is allocated.

use super::{Candidate, Facts, bytes, count, nanos};
use crate::replay::{Change, NodeIndex};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use weft_model::StepKind;

/// The least duration of waits in ns. Shorter ones are the cost of an allocation.
const LONG: i64 = 50_000;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    // The longest wait for memory of each operation, and the bytes.
    let mut waits: FxHashMap<_, (i64, u64)> = FxHashMap::default();
    for instance in &facts.trace.work.instances {
        let time = (instance.ready - instance.created).0;
        if let Some(operation) = instance.operation.filter(|_| time > LONG) {
            let own = waits.entry((instance.source, operation)).or_default();
            own.0 = own.0.max(time);
            own.1 += instance.bytes;
        }
    }
    if waits.is_empty() {
        return Vec::new();
    }
    let mut lines: BTreeMap<_, (Vec<NodeIndex>, i64, u64, i64)> = BTreeMap::new();
    for kind in [StepKind::Task, StepKind::Issue, StepKind::Copy] {
        for (at, node) in facts.of_kind(kind) {
            let Some((time, sum)) = node
                .operation
                .and_then(|uid| waits.get(&(node.source, uid)))
            else {
                continue;
            };
            let line = facts.graph.line(at);
            // The wait is included in its delay, unless it had begun.
            if line.0 != 0 && node.delay > LONG {
                let own = lines.entry(line).or_default();
                own.0.push(at);
                own.1 += *time;
                own.2 += *sum;
                own.3 = own.3.max(node.delay - *time);
            }
        }
    }
    let candidate =
        |(line, (nodes, time, sum, rest)): (_, (Vec<NodeIndex>, i64, u64, i64))| Candidate {
            lines: vec![line],
            evidence: vec![
                count("times work waited for memory", nodes.len()),
                nanos("in all", time),
                bytes("asked for", sum),
            ],
            changes: vec![Change::Prompt {
                nodes,
                delay: rest.max(0),
            }],
            ..Candidate::default()
        };
    lines.into_iter().map(candidate).collect()
}
