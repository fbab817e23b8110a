//! Predecessors of tasks and copies in runs of Legion, from the graph of its events. Events that
//! stand for others are passed through.

use super::dependence::Dependence;
use crate::replay::{self, EdgeKind, NodeIndex};
use rustc_hash::FxHashSet;
use weft_model::{Served, StepKind, Trace};

/// Maximum number of nodes searched for one task: chains of events can be thousands long.
const MOST: usize = 4096;

/// Adds the dependences of runs of Legion to `rows`; returns the number of tasks and copies whose
/// search was cut off.
pub(super) fn dependences(trace: &Trace, rows: &mut Vec<Dependence>) -> u64 {
    if trace.work.events.activities.is_empty() {
        return 0;
    }
    let graph = replay::Graph::of_part(trace, trace.quality.part);
    let mut cut = 0;
    for (at, node) in graph.iter() {
        let Some(to) = served(node) else { continue };
        let (found, is_cut) = before(&graph, at);
        cut += u64::from(is_cut);
        let bytes = match to {
            Served::Copy(row) => trace
                .work
                .copies
                .get(row as usize)
                .map_or(0, |copy| copy.bytes),
            Served::Task(_) => 0,
        };
        let last = found.iter().max_by_key(|(_, end)| *end).map(|row| row.0);
        for (from, _) in &found {
            if *from != to {
                rows.push(Dependence {
                    from: *from,
                    to,
                    kind: None,
                    through: None,
                    moved: if last == Some(*from) { bytes } else { 0 },
                });
            }
        }
    }
    cut
}

fn served(node: &replay::Node) -> Option<Served> {
    let is_work = matches!(node.kind, StepKind::Task | StepKind::Copy);
    node.work.filter(|_| is_work)
}

/// Returns the tasks and copies that a node depends on, each once with its end, and whether the
/// search was cut off.
fn before(graph: &replay::Graph, of: NodeIndex) -> (Vec<(Served, i64)>, bool) {
    let mut found: Vec<(Served, i64)> = Vec::new();
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut open = vec![of];
    while let Some(at) = open.pop() {
        if seen.len() > MOST {
            return (found, true);
        }
        for edge in graph
            .before(at)
            .iter()
            .filter(|edge| edge.kind == EdgeKind::Data)
        {
            let Some(node) = graph.node(edge.node) else {
                continue;
            };
            if !seen.insert(edge.node.0) {
                continue;
            }
            match served(node) {
                Some(work) => match found.iter_mut().find(|row| row.0 == work) {
                    Some(row) => row.1 = row.1.max(node.end()),
                    None => found.push((work, node.end())),
                },
                None if node.kind == StepKind::Queue => open.push(edge.node),
                None => {}
            }
        }
    }
    (found, false)
}
