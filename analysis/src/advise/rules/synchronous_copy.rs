//! Rule 2: copies from or to pageable memory, which block the driver's call.

use super::{Candidate, Facts, bytes, count, nanos};
use crate::replay::{Change, EdgeKind, NodeIndex};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use weft_model::{Detail, KernelKind, Outcome, StepKind};

/// `CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE`.
const PAGEABLE: u32 = 1;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    let trace = facts.trace;
    let mut launches = FxHashSet::default();
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        let detail = kernel
            .detail
            .and_then(|row| trace.devices.details.get(row.0 as usize));
        if let (KernelKind::Memcpy, Some(Detail::Copy(route)), Outcome::Linked { launch, .. }) =
            (kernel.kind, detail, outcome)
            && (route.source_kind == PAGEABLE || route.destination_kind == PAGEABLE)
        {
            launches.insert(*launch);
        }
    }
    // The issues of such copies by line, and the bytes.
    let mut lines: BTreeMap<_, (Vec<NodeIndex>, i64, u64)> = BTreeMap::new();
    for kind in [StepKind::Copy, StepKind::Task] {
        for (at, node) in facts.of_kind(kind) {
            let uid = match (facts.copy(node), facts.task(node)) {
                (Some(copy), _) => Some((copy.source, copy.uid)),
                (_, Some(task)) => Some((task.source, task.uid)),
                _ => None,
            };
            let launch = uid.and_then(|(source, uid)| facts.index.launch(source, uid));
            if !launch.is_some_and(|launch| launches.contains(&launch)) {
                continue;
            }
            let before = facts.graph.before(at).iter();
            let issues = before.filter(|edge| edge.kind == EdgeKind::Submit);
            for issue in issues {
                let Some(row) = facts
                    .graph
                    .node(issue.node)
                    .filter(|row| row.kind == StepKind::Issue)
                else {
                    continue;
                };
                let own = lines.entry(facts.graph.line(at)).or_default();
                own.0.push(issue.node);
                own.1 += row.duration;
                own.2 += node.bytes;
            }
        }
    }
    let issues = facts
        .of_kind(StepKind::Issue)
        .map(|(_, node)| node.duration);
    let usual = super::super::facts::median(issues.collect());
    let candidate = |(line, (nodes, time, sum)): (_, (Vec<NodeIndex>, i64, u64))| Candidate {
        lines: vec![line],
        evidence: vec![
            count("copies", nodes.len()),
            nanos("issued for", time),
            bytes("moved", sum),
        ],
        assumes: Some(
            "an asynchronous copy is issued as fast as other work, and moves bytes as fast"
                .to_owned(),
        ),
        changes: vec![Change::Take {
            nodes: nodes.iter().map(|node| (*node, usual)).collect(),
        }],
        ..Candidate::default()
    };
    lines.into_iter().map(candidate).collect()
}
