//! GPU work: by its external id, or by the ranges around the call that started it.

use super::calls::Calls;
use super::tally::Tally;
use super::threads::{Carrier, ThreadCall, Threads};
use super::twins::Twins;
use crate::identify::Lookup;
use weft_model::{ApiCall, Kernel, LaunchIndex, Method, Outcome, Reason, SourceIndex, SourceKind};
use weft_trace::id::Uid;

pub(super) struct Device<'a> {
    pub(super) lookup: &'a Lookup,
    pub(super) threads: &'a Threads,
    pub(super) calls: &'a Calls<'a>,
    pub(super) twins: &'a Twins,
    /// The kind of each source.
    pub(super) kinds: &'a [SourceKind],
    /// Sources of which CUPTI is known to have lost records, such as calls and external ids.
    pub(super) lossy: &'a [SourceIndex],
}

/// The result of one method.
enum Evidence {
    Launch(LaunchIndex, Method),
    /// The UID belongs to no known launch, or to an internal launch of the runtime.
    Not(Reason),
}

impl Device<'_> {
    /// Returns the launch of a kernel, the innermost range around the call that started it, and the
    /// start of that call.
    pub(super) fn find(&self, row: u32, kernel: &Kernel, tally: &mut Tally) -> super::KernelMatch {
        let twin = self.twins.get(&row);
        let call = self.call(kernel).or_else(|| self.call(twin?));
        let carrier = call.map_or(Carrier::None, |call| self.threads.carrier(&call));
        let around = call.and_then(|call| self.threads.innermost(&call));
        let (range, carried) = match carrier {
            Carrier::Own(range, uid) => (around.or(range), Some(uid)),
            Carrier::Process(range, uid) => (Some(around.unwrap_or(range)), Some(uid)),
            Carrier::Several | Carrier::Helper | Carrier::None => (around, None),
        };
        tally.carrier(carrier);
        tally.external(kernel.external, carried);

        let node = kernel.graph_node.or_else(|| twin?.graph_node);
        let external = kernel
            .external
            .map(|uid| self.evidence(Some(kernel.source), uid, node, Method::ExternalId));
        let ranged = carried.map(|uid| {
            let file = match self.is_nsys(kernel.source) {
                false => Some(kernel.source),
                true => kernel
                    .process
                    .and_then(|process| self.lookup.owners.file(kernel.source, process)),
            };
            self.evidence(file, uid, node, Method::Range)
        });
        let named = call.and_then(|call| self.threads.task(&call));
        if let (Some(Evidence::Launch(launch, _)), Some(named)) = (&ranged, named) {
            tally.count_named(*launch == named);
        }
        let named = named.map(|launch| Evidence::Launch(launch, Method::NameTime));
        let outcome =
            best([external, ranged, named]).unwrap_or(Outcome::Unmatched(match (call, range) {
                _ if self.lossy.contains(&kernel.source) => Reason::LostRecords,
                (None, _) => Reason::NoApiCall,
                (_, None) => Reason::OutsideRanges,
                _ => Reason::RangeWithoutUid,
            }));
        if let (Some(_), Outcome::Linked { method, .. }) = (node, outcome)
            && method != Method::Recorded
        {
            tally.nodes_unmapped += 1;
        }
        super::KernelMatch {
            outcome,
            range,
            called: call.map(|call| call.start),
        }
    }

    /// Returns the thread and times of the call that started a kernel.
    fn call(&self, kernel: &Kernel) -> Option<ThreadCall> {
        let call = self.calls.of_kernel(kernel)?;
        let (session, thread) = self.place(call);
        Some(ThreadCall {
            session,
            thread,
            start: call.start,
            end: call.end,
        })
    }

    /// Returns the thread of a call, numbered as in the session that recorded its process.
    fn place(&self, call: &ApiCall) -> (SourceIndex, i64) {
        let watched = self.lookup.owners.processes(call.source).first();
        match watched {
            // CUPTI in the process records the thread's number in the process.
            Some((session, process)) => (*session, process | (call.thread & 0xff_ffff)),
            None => (call.source, call.thread),
        }
    }

    fn is_nsys(&self, source: SourceIndex) -> bool {
        let kind = self.kinds.get(source.0 as usize);
        kind.is_some_and(|kind| kind.is_nsys())
    }

    /// Returns the evidence of a UID found by `method`: its launch, or the node's launch if it is a
    /// replay of a graph.
    fn evidence(
        &self,
        file: Option<SourceIndex>,
        uid: Uid,
        node: Option<i64>,
        method: Method,
    ) -> Evidence {
        let part = file
            .zip(node)
            .and_then(|(file, node)| self.lookup.node(file, uid, node));
        if let Some(launch) = part.and_then(|part| self.lookup.launch(file, part).ok()) {
            return Evidence::Launch(launch, Method::Recorded);
        }
        match self.lookup.launch(file, uid) {
            Ok(launch) => Evidence::Launch(launch, method),
            Err(reason) => Evidence::Not(reason),
        }
    }
}

/// Returns the first launch, or else the first reason. Internal work of the runtime is certain.
fn best(said: [Option<Evidence>; 3]) -> Option<Outcome> {
    let mut reason = None;
    for said in said.into_iter().flatten() {
        match said {
            Evidence::Launch(launch, method) => return Some(Outcome::Linked { launch, method }),
            Evidence::Not(Reason::RuntimeInternal) if reason.is_none() => {
                return Some(Outcome::Unmatched(Reason::RuntimeInternal));
            }
            Evidence::Not(why) => reason = reason.or(Some(why)),
        }
    }
    reason.map(Outcome::Unmatched)
}
