//! Delays that are longer than usual for their kind.

use super::graph::Node;
use weft_model::StepKind;

/// Percentile of the delays of a kind, beyond which a delay has no known cause.
const PERCENTILE: usize = 95;
/// Delay in ns that is usual for the hand-over of work between threads.
const USUAL: i64 = 100_000;

/// Delay in ns to the next item of a queue, if no queue was observed.
const BUSY: i64 = 1_000;

/// Sets the part of each node's delay that exceeds the usual for its kind. The start of a node
/// without causes is not a delay.
pub(super) fn unexplained(nodes: &mut [Node], has_causes: impl Fn(usize) -> bool) {
    for kind in StepKind::ALL {
        let rows = nodes.iter().enumerate();
        let own = rows.filter(|(at, node)| node.kind == kind && has_causes(*at));
        let mut delays: Vec<i64> = own.map(|(_, node)| node.delay).collect();
        delays.sort_unstable();
        let usual = delays.get(delays.len() * PERCENTILE / 100).copied();
        let usual = usual.unwrap_or(0).max(USUAL);
        for (at, node) in nodes.iter_mut().enumerate() {
            if node.kind == kind && has_causes(at) {
                node.unexplained = (node.delay - usual).max(0);
            }
        }
    }
}

/// Returns the median delay of each kind of node if no thread needs waking.
pub(super) fn busy(nodes: &[Node]) -> [i64; StepKind::ALL.len()] {
    StepKind::ALL.map(|kind| {
        let own = nodes
            .iter()
            .filter(|node| node.kind == kind && node.idle == 0);
        let mut delays: Vec<i64> = own.map(|node| node.delay).collect();
        delays.sort_unstable();
        delays.get(delays.len() / 2).copied().unwrap_or(BUSY)
    })
}
