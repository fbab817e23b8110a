//! Rule 10: ranks wait for each other at a synchronization of all ranks.

use super::{Candidate, EVEN, Facts, count, nanos};
use crate::replay::{Change, EdgeKind, NodeIndex};
use std::collections::BTreeMap;
use weft_model::{ProvenanceIndex, SourceIndex, StepKind};

pub(super) fn find(facts: &Facts<'_>) -> Vec<Candidate> {
    // Synchronizations: for each, the nodes that the waits of all ranks depend on.
    let mut meetings: BTreeMap<Vec<NodeIndex>, ()> = BTreeMap::new();
    for (at, _) in facts.of_kind(StepKind::Wait) {
        let edges = facts.graph.before(at).iter();
        let came: Vec<NodeIndex> = (edges
            .filter(|edge| edge.kind == EdgeKind::Wait || edge.kind == EdgeKind::Order))
        .filter(|edge| {
            facts
                .graph
                .node(edge.node)
                .is_some_and(|node| node.kind != StepKind::Task)
        })
        .map(|edge| edge.node)
        .collect();
        let ranks = came
            .iter()
            .filter_map(|node| facts.graph.node(*node))
            .map(|node| node.source);
        let mut ranks: Vec<SourceIndex> = ranks.collect();
        ranks.sort_unstable();
        ranks.dedup();
        if ranks.len() > 1 {
            let mut came = came;
            came.sort_unstable();
            meetings.insert(came, ());
        }
    }
    let mut spread = 0;
    for came in meetings.keys() {
        let ends = came
            .iter()
            .filter_map(|node| Some(facts.graph.node(*node)?.end()));
        let (first, last) = ends.fold((i64::MAX, i64::MIN), |(first, last), end| {
            (first.min(end), last.max(end))
        });
        spread += last.saturating_sub(first).max(0);
    }
    if meetings.is_empty() || spread == 0 {
        return Vec::new();
    }
    // The time of each line on each rank. The line with the largest difference is the cause, and
    // all lines are evened out.
    let mut lines: BTreeMap<ProvenanceIndex, BTreeMap<SourceIndex, (Vec<NodeIndex>, i64)>> =
        BTreeMap::new();
    for kind in [StepKind::Task, StepKind::Program] {
        for (at, node) in facts.of_kind(kind) {
            let own = lines
                .entry(facts.graph.line(at))
                .or_default()
                .entry(node.source)
                .or_default();
            own.0.push(at);
            own.1 += node.duration;
        }
    }
    let ranks = facts.trace.sources.len().max(1) as f64;
    let mut worst: Vec<(i64, ProvenanceIndex)> = Vec::new();
    let mut changes = Vec::new();
    for (line, own) in &lines {
        let mean = own.values().map(|row| row.1).sum::<i64>() as f64 / ranks;
        let most = own.values().map(|row| row.1).max().unwrap_or(0);
        if line.0 == 0 || (most as f64) < mean * EVEN {
            continue;
        }
        worst.push((most - mean as i64, *line));
        for (nodes, time) in own.values().filter(|row| row.1 > 0) {
            changes.push(Change::Scale {
                nodes: nodes.clone(),
                factor: mean / *time as f64,
            });
        }
    }
    worst.sort_unstable_by(|a, b| b.cmp(a));
    if worst.is_empty() {
        return Vec::new();
    }
    vec![Candidate {
        lines: worst.iter().take(3).map(|row| row.1).collect(),
        evidence: vec![
            count("meetings of all ranks", meetings.len()),
            nanos("between the first and the last arrival", spread),
        ],
        assumes: Some("each of these lines takes equally long on every rank".to_owned()),
        changes,
        ..Candidate::default()
    }]
}
