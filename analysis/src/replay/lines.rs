//! The what-if analysis of a line's time, for the slider.

use super::change::Change;
use super::graph::Graph;
use super::replay;
use rustc_hash::FxHashMap;
use weft_model::ProvenanceIndex;

/// Returns the length of the run, in ns, if all work of a line took `factor` times as long. Compare
/// it with that of [`Graph::baseline`]. Takes some 50 ms for 100,000 tasks.
pub fn what_if_line(graph: &Graph, line: ProvenanceIndex, factor: f64) -> i64 {
    replay(graph, &[Change::ScaleLine { line, factor }]).makespan
}

/// The time of the nodes of each line, in ns. Work for several lines counts by its shares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineTimes(pub FxHashMap<ProvenanceIndex, f64>);

impl LineTimes {
    /// Sums the times of all nodes.
    pub fn new(graph: &Graph) -> LineTimes {
        let mut times = FxHashMap::default();
        for (at, node) in graph.iter() {
            for (line, share) in graph.lines(at) {
                *times.entry(*line).or_insert(0.0) += node.duration as f64 * f64::from(*share);
            }
        }
        LineTimes(times)
    }
}
