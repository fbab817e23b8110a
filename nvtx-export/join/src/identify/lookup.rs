//! The lookup of launches, built once and used for the clocks and for the join.

use super::bodies::Candidates;
use super::owners::Owners;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::{Index, LaunchIndex, Reason, Recording, RunIndex, SourceIndex};
use weft_trace::id::Uid;

/// The targets of UIDs, graph nodes and messages of ranges. Rows are those of the trace it was
/// built from. It does not depend on times.
#[derive(Debug)]
pub struct Lookup {
    /// Rows by UID.
    pub index: Index,
    /// The files that processes wrote.
    pub owners: Owners,
    pub(crate) bodies: Candidates,
    internal: FxHashSet<(RunIndex, Uid)>,
    nodes: FxHashMap<(RunIndex, Uid, i64), Uid>,
}

impl Lookup {
    /// Builds the lookup for a trace that was just read.
    pub fn new(recording: &Recording) -> Self {
        let index = Index::new(recording);
        let bodies = Candidates::new(recording, &index);
        let owners = Owners::new(recording, &index, &bodies);
        let run = |source: SourceIndex| recording.run_of(source);
        Lookup {
            index,
            owners,
            bodies,
            internal: (recording.work.internal_launches.iter())
                .map(|launch| (run(launch.source), launch.uid))
                .collect(),
            nodes: (recording.devices.graph_nodes.iter())
                .map(|node| ((run(node.source), node.replay, node.node), node.launch))
                .collect(),
        }
    }

    /// Returns the launch with this UID, or the reason why there is none. `file` is the file
    /// written by the process.
    pub(crate) fn launch(
        &self,
        file: Option<SourceIndex>,
        uid: Uid,
    ) -> Result<LaunchIndex, Reason> {
        let launch = file.and_then(|file| self.index.launch(file, uid));
        launch.ok_or_else(|| {
            let run = file.map(|file| self.index.run(file));
            if run.is_some_and(|run| self.internal.contains(&(run, uid))) {
                Reason::RuntimeInternal
            } else {
                self.owners.unknown(file)
            }
        })
    }

    /// Returns the launch whose work a node of a CUDA graph executed in this replay.
    pub(crate) fn node(&self, file: SourceIndex, replay: Uid, node: i64) -> Option<Uid> {
        let key = (self.index.run(file), replay, node);
        self.nodes.get(&key).copied()
    }
}
