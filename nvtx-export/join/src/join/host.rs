//! CPU kernels: the runtime recorded the launch, and NVTX ranges must agree.

use super::tally::Tally;
use super::threads::Threads;
use crate::identify::Lookup;
use rustc_hash::FxHashMap;
use weft_model::{Kernel, Method, Outcome, RangeIndex, Reason, Recording, SourceIndex};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Nanos;

pub(super) struct Host<'a> {
    lookup: &'a Lookup,
    threads: &'a Threads,
    os_threads: FxHashMap<(SourceIndex, ProcessorId), u32>,
    /// The error of each source's clock, in ns.
    errors: Vec<i64>,
}

impl<'a> Host<'a> {
    pub(super) fn new(recording: &Recording, lookup: &'a Lookup, threads: &'a Threads) -> Self {
        let processors = recording
            .machine
            .processors
            .iter()
            .filter(|processor| processor.thread != 0);
        Host {
            lookup,
            threads,
            os_threads: processors
                .map(|processor| ((processor.source, processor.id), processor.thread))
                .collect(),
            errors: (0..recording.sources.len() as u32)
                .map(|source| recording.clock_error(SourceIndex(source)).rows)
                .map(|error| i64::try_from(error).unwrap_or(i64::MAX))
                .collect(),
        }
    }

    /// Finds the launch of a host kernel: the recorded one. The range around the kernel is compared
    /// with it and counted.
    pub(super) fn find(&self, kernel: &Kernel, tally: &mut Tally) -> super::KernelMatch {
        let recorded = kernel.recorded;
        let launch = recorded.map(|uid| self.lookup.launch(Some(kernel.source), uid));
        let outcome = match launch {
            Some(Ok(launch)) => Outcome::Linked {
                launch,
                method: Method::Recorded,
            },
            Some(Err(reason)) => Outcome::Unmatched(reason),
            None => Outcome::Unmatched(Reason::NoApiCall),
        };
        let watched = !self.lookup.owners.processes(kernel.source).is_empty();
        let range = self.range(kernel);
        match range {
            Some((_, uid)) if Some(uid) == recorded => tally.range_agreed += 1,
            Some(_) => tally.range_disagreed += 1,
            None if watched => tally.range_absent += 1,
            None => {}
        }
        super::KernelMatch {
            outcome,
            range: range.map(|(range, _)| range),
            called: None,
        }
    }

    /// Returns the innermost UID-carrying range around the middle of the kernel, on the kernel's
    /// thread. If that range does not carry the recorded UID, a range that does and lies no further
    /// away than the error of both clocks is the better answer: a kernel of some hundred ns is
    /// shorter than that error.
    fn range(&self, kernel: &Kernel) -> Option<(RangeIndex, Uid)> {
        let thread = self.os_threads.get(&(kernel.source, kernel.processor?))?;
        let middle = kernel.start + Nanos((kernel.end - kernel.start).0 / 2);
        let sessions = self.lookup.owners.processes(kernel.source).iter();
        let threads =
            sessions.map(|(session, process)| (*session, process | i64::from(*thread & 0xff_ffff)));
        let around = threads
            .clone()
            .find_map(|(session, thread)| self.threads.carrier_at(session, thread, middle));
        let Some(recorded) = kernel.recorded else {
            return around;
        };
        if around.is_some_and(|(_, uid)| uid == recorded) {
            return around;
        }
        let near = threads.into_iter().find_map(|(session, thread)| {
            let error = self
                .error(kernel.source)
                .saturating_add(self.error(session));
            let start = kernel.start.nanos().saturating_sub(error);
            let end = kernel.end.nanos().saturating_add(error);
            self.threads
                .carrier_of(session, thread, (start, end), recorded)
        });
        near.or(around)
    }

    fn error(&self, source: SourceIndex) -> i64 {
        self.errors.get(source.0 as usize).copied().unwrap_or(0)
    }
}
