//! Launches that are held back until their loop body is complete and can be replayed as one CUDA
//! graph.
//!
//! For the rest of the runtime they are in their stream: they precede one point, and no work passes
//! it before they are issued.

#![allow(unsafe_code, reason = "hands addresses of instances to the driver")]

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use weft_trace::id::{LaunchUid, TaskUid};
use weft_trace::record::{self, List, ProcessorKind};
use weft_trace::time::Timestamp;

use super::super::api::{GpuId, GraphId};
use super::super::work::{Launch, Work};
use super::Dispatcher;
use super::repeats::Signature;
use crate::error::DriverError;
use crate::observe::Message;
use crate::traffic::Traffic;

/// Maximum number of nodes in one record of a replay.
const NODES: usize = 2048;

/// A launch that is held back.
pub(super) struct HeldLaunch {
    pub(super) works: SmallVec<[Work; 2]>,
    pub(super) launch: LaunchUid,
    pub(super) message: Option<Message>,
    /// The tasks that it serves, with the number of bytes that each writes.
    pub(super) tasks: SmallVec<[(TaskUid, u64); 4]>,
    /// Bytes that its kernels read and write, if recorded.
    pub(super) traffic: Option<Traffic>,
    /// Start and end of its preparation, before it was held back.
    pub(super) times: [Timestamp; 2],
}

/// Held launches of one stream.
pub(super) struct Bundle {
    pub(super) gpu: GpuId,
    pub(super) lane: usize,
    pub(super) held: Vec<HeldLaunch>,
}

/// A graph made of a loop body.
pub(super) struct Replayable {
    gpu: GpuId,
    graph: GraphId,
    /// The launches, in the order of the graph.
    launches: Vec<Launch>,
    /// The nodes' ids in CUPTI; empty if CUPTI does not report them.
    nodes: Vec<u64>,
}

/// Returns the signature of a launch, without addresses and values; `None` if it has work that
/// cannot be in a graph.
pub(super) fn signature(works: &[Work]) -> Option<Signature> {
    let mut kernels = SmallVec::<[_; 2]>::new();
    for work in works {
        let Work::Kernel(launch) = work else {
            return None;
        };
        kernels.push((&launch.kernel, launch.grid, launch.block));
    }
    (!kernels.is_empty()).then(|| FxBuildHasher.hash_one(kernels))
}

impl Bundle {
    fn launches(&self) -> impl Iterator<Item = (&Launch, LaunchUid)> {
        self.held.iter().flat_map(|held| {
            held.works.iter().filter_map(|work| match work {
                Work::Kernel(launch) => Some((launch, held.launch)),
                _ => None,
            })
        })
    }
}

impl Replayable {
    fn fits(&self, bundle: &Bundle) -> bool {
        self.gpu == bundle.gpu
            && self.launches.len() == bundle.launches().count()
            && self
                .launches
                .iter()
                .zip(bundle.launches())
                .all(|(known, (launch, _))| known.kernel == launch.kernel)
    }
}

impl Dispatcher<'_> {
    /// Issues the held launches: as a replay of the body with this number, or one by one.
    pub(super) fn close_bundle(&mut self, body: Option<usize>) {
        let Some(bundle) = self.bundle.take() else {
            return;
        };
        let outcome = match body {
            Some(body) => self.replay(body, &bundle),
            None => self.issue_held(&bundle),
        };
        self.streams.advance(bundle.lane);
        if let Err(error) = outcome {
            self.health.lose(&error);
        }
    }

    fn issue_held(&self, bundle: &Bundle) -> Result<(), DriverError> {
        let stream = self.streams.id(bundle.lane);
        for held in &bundle.held {
            let start = self.observers.recorder.now();
            let range =
                self.observers
                    .open_range(held.message.as_ref(), ProcessorKind::Gpu, held.launch);
            let _id = self.observers.external_id(held.launch);
            for work in &held.works {
                // SAFETY: as when it was held back: work waits for the point that stands for it
                // until it is issued.
                unsafe { self.gpus.driver.issue(stream, work, None) }?;
            }
            drop(range);
            let times = [start, self.observers.recorder.now()];
            self.record_launch(bundle.gpu, held.launch, &held.tasks, times);
            self.record_traffic(held.launch, held.traffic);
            self.record_work(held.launch, &held.works);
        }
        Ok(())
    }

    /// Replays all held launches at once.
    fn replay(&mut self, body: usize, bundle: &Bundle) -> Result<(), DriverError> {
        if self.graphs.len() <= body {
            self.graphs.resize_with(body + 1, || None);
        }
        let mut graph = match self.graphs[body].take() {
            Some(known) if known.fits(bundle) => known,
            other => {
                if let Some(other) = other {
                    self.gpus.driver.forget(other.graph);
                }
                self.graph(bundle)?
            }
        };
        for (at, (launch, _)) in bundle.launches().enumerate() {
            if graph.launches[at] != *launch {
                self.gpus.driver.update(graph.graph, at, launch)?;
                graph.launches[at] = launch.clone();
            }
        }
        let recorder = &self.observers.recorder;
        let start = recorder.now();
        let replay = LaunchUid(self.uids.next());
        let message = bundle.held.first().and_then(|held| held.message.as_ref());
        let range = self
            .observers
            .open_range(message, ProcessorKind::Gpu, replay);
        let id = self.observers.external_id(replay);
        let stream = self.streams.id(bundle.lane);
        // SAFETY: as for each launch when it was held back; the graph holds the same launches.
        let outcome = unsafe { self.gpus.driver.replay(graph.graph, stream) };
        drop(id);
        drop(range);
        let end = recorder.now();
        if recorder.is_on() {
            for held in &bundle.held {
                self.record_launch(bundle.gpu, held.launch, &held.tasks, held.times);
                if outcome.is_ok() {
                    self.record_traffic(held.launch, held.traffic);
                    // Without the ids of its nodes, all work of a graph is attributed to the
                    // replay.
                    let works = if graph.nodes.is_empty() {
                        &[]
                    } else {
                        held.works.as_slice()
                    };
                    self.record_work(held.launch, works);
                }
            }
            self.record_replay(bundle, &graph, replay);
            // For tools that cannot tell the graph's kernels apart.
            let held = bundle
                .held
                .iter()
                .flat_map(|held| held.tasks.iter().copied());
            let tasks: Vec<(TaskUid, u64)> = held.collect();
            self.record_launch(bundle.gpu, replay, &tasks, [start, end]);
            if outcome.is_ok() && graph.nodes.is_empty() {
                let works = bundle
                    .held
                    .iter()
                    .flat_map(|held| held.works.iter().cloned());
                self.record_work(replay, &works.collect::<Vec<_>>());
            }
        }
        self.graphs[body] = Some(graph);
        outcome
    }

    fn graph(&self, bundle: &Bundle) -> Result<Replayable, DriverError> {
        let launches: Vec<Launch> = bundle
            .launches()
            .map(|(launch, _)| launch.clone())
            .collect();
        let graph = self.gpus.driver.graph(bundle.gpu, &launches)?;
        Ok(Replayable {
            gpu: bundle.gpu,
            graph,
            nodes: self.gpus.driver.nodes(graph),
            launches,
        })
    }

    /// Records the launch that each node of a replay stands for.
    fn record_replay(&self, bundle: &Bundle, graph: &Replayable, replay: LaunchUid) {
        let nodes: Vec<(u64, LaunchUid)> = graph
            .nodes
            .iter()
            .zip(bundle.launches())
            .map(|(node, (_, launch))| (*node, launch))
            .collect();
        for nodes in nodes.chunks(NODES) {
            self.observers.recorder.write(&record::GraphReplay {
                replay,
                nodes: List::Items(nodes),
            });
        }
    }
}
