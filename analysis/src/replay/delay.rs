//! Which delays are longer than those of their kind mostly are.

use super::graph::Node;
use weft_model::StepKind;

/// The percentile of the delays of a kind beyond which a delay has no known cause.
const PERCENTILE: usize = 95;
/// Delays up to this, in ns, are what a thread needs to take work from another.
const USUAL: i64 = 100_000;

/// What it takes to go on with the next of a queue, in ns, where no queue was seen.
const BUSY: i64 = 1_000;

/// Says of each node how much of its delay is beyond what is usual for its kind. When what has no causes begins is no delay.
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

/// What nodes of each kind mostly wait if nothing has to be woken for them.
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
