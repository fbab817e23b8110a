//! Rule 3: a GPU is idle, and the last work before it continued is the cause.

use super::{Candidate, Facts, nanos, share};
use crate::replay::{Change, NodeIndex};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use weft_model::StepKind;

/// The least duration of gaps in ns. Shorter ones are the cost of starting a kernel.
const GAP: i64 = 5_000;
/// The advice for a line that runs once.
const ONCE: &str = "The line runs once: look at what the host does there, such as allocating memory or loading code for the first time, and do it \
                    before the GPU has work to wait for";
/// The factor by which the simulated fix shortens the cause.
const FACTOR: f64 = 0.5;

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    // The work on the GPUs of each rank, in order.
    let mut ranks: BTreeMap<_, Vec<NodeIndex>> = BTreeMap::new();
    for (at, node) in facts.graph.iter() {
        if matches!(node.kind, StepKind::Task | StepKind::Copy) && facts.is_on_gpu(at) {
            ranks.entry(node.source).or_default().push(at);
        }
    }
    let mut lines: BTreeMap<_, (Vec<NodeIndex>, i64)> = BTreeMap::new();
    let mut idle = 0;
    for nodes in ranks.into_values() {
        let mut until = None;
        for at in nodes {
            let Some(node) = facts.graph.node(at) else {
                continue;
            };
            let gap = until.map_or(0, |until: i64| node.start - until);
            until = Some(until.map_or(node.end(), |until: i64| until.max(node.end())));
            if gap < GAP {
                continue;
            }
            idle += gap;
            // The host's work in the gap, back from the event that let the work begin.
            let began = node.start - gap;
            let mut cause = facts.base.causes.get(at.0 as usize).copied().flatten();
            while let Some(one) = cause
                .and_then(|cause| facts.graph.node(cause))
                .filter(|one| one.end() > began)
            {
                let (Some(index), true) = (
                    cause,
                    matches!(
                        one.kind,
                        StepKind::Program | StepKind::Analysis | StepKind::Issue
                    ),
                ) else {
                    break;
                };
                let line = facts.graph.line(index);
                let part = one.end() - one.start.max(began);
                if line.0 != 0 && part > 0 {
                    let own = lines.entry(line).or_default();
                    own.0.push(index);
                    own.1 += part;
                }
                cause = facts.base.causes.get(index.0 as usize).copied().flatten();
            }
        }
    }
    let mut found = Vec::new();
    for (line, (mut nodes, time)) in lines {
        nodes.sort_unstable();
        nodes.dedup();
        let operations = nodes
            .iter()
            .filter_map(|at| facts.graph.node(*at)?.operation);
        let operations: FxHashSet<_> = operations.collect();
        found.push(Candidate {
            lines: vec![line],
            // Costs of the first use, such as loading code, are in no loop.
            change: (operations.len() < 2).then(|| ONCE.to_owned()),
            evidence: vec![
                nanos("GPU idle because of it", time),
                share(
                    "of the time in which the GPU was idle",
                    time as f64 / idle.max(1) as f64,
                ),
            ],
            assumes: Some("what the host does here takes half the time".to_owned()),
            changes: vec![Change::Scale {
                nodes,
                factor: FACTOR,
            }],
            ..Candidate::default()
        });
    }
    found
}
