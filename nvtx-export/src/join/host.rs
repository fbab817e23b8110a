//! CPU kernels: the runtime recorded the launch, and NVTX ranges must agree.

use super::tally::Tally;
use super::threads::Threads;
use crate::identify::Lookup;
use crate::joined::{Joined, Kernel, Method, Outcome, RangeIndex, Reason, SourceIndex};
use rustc_hash::FxHashMap;
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Nanos;

pub(super) struct Host<'a> {
    lookup: &'a Lookup,
    threads: &'a Threads,
    os_threads: FxHashMap<(SourceIndex, ProcessorId), u32>,
}

impl<'a> Host<'a> {
    pub(super) fn new(joined: &Joined, lookup: &'a Lookup, threads: &'a Threads) -> Self {
        let processors = joined
            .processors
            .iter()
            .filter(|processor| processor.thread != 0);
        Host {
            lookup,
            threads,
            os_threads: processors
                .map(|processor| ((processor.source, processor.id), processor.thread))
                .collect(),
        }
    }

    /// The recorded launch is used; the range is compared with it and counted.
    pub(super) fn find(&self, kernel: &Kernel, tally: &mut Tally) -> super::Found {
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
        super::Found {
            outcome,
            range: range.map(|(range, _)| range),
            called: None,
        }
    }

    /// The innermost UID-carrying range of the kernel's thread around its middle, which the error of the clocks
    /// moves out of the range less easily than its ends.
    fn range(&self, kernel: &Kernel) -> Option<(RangeIndex, Uid)> {
        let thread = self.os_threads.get(&(kernel.source, kernel.processor?))?;
        let middle = kernel.start + Nanos((kernel.end - kernel.start).0 / 2);
        let sessions = self.lookup.owners.processes(kernel.source).iter();
        sessions.copied().find_map(|(session, process)| {
            let thread = process | i64::from(*thread & 0xff_ffff);
            self.threads.carrier_at(session, thread, middle)
        })
    }
}
