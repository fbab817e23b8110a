//! CPU kernels: the runtime recorded the launch, and NVTX ranges must say the same.

use super::owners::Owners;
use super::threads::Threads;
use crate::joined::{Index, Joined, Kernel, Method, Outcome, RangeIndex, RangeRow, SourceIndex};
use rustc_hash::FxHashMap;
use weft_trace::id::ProcessorId;
use weft_trace::time::Nanos;

/// How links derived from ranges compare with the recorded ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Check {
    /// The range carries the recorded launch.
    pub(super) agreed: u64,
    /// The range carries another launch.
    pub(super) disagreed: u64,
    /// A session watched the process, but has no UID-carrying range there.
    pub(super) absent: u64,
}

pub(super) struct Host<'a> {
    index: &'a Index,
    owners: &'a Owners,
    threads: &'a Threads,
    ranges: &'a [RangeRow],
    os_threads: FxHashMap<(SourceIndex, ProcessorId), u32>,
}

impl<'a> Host<'a> {
    pub(super) fn new(
        joined: &'a Joined,
        index: &'a Index,
        owners: &'a Owners,
        threads: &'a Threads,
    ) -> Self {
        let processors = joined
            .processors
            .iter()
            .filter(|processor| processor.thread != 0);
        Host {
            index,
            owners,
            threads,
            ranges: &joined.ranges,
            os_threads: processors
                .map(|processor| ((processor.source, processor.id), processor.thread))
                .collect(),
        }
    }

    /// What was recorded wins; the range is compared with it, and counted.
    pub(super) fn find(&self, kernel: &Kernel, check: &mut Check) -> (Outcome, Option<RangeIndex>) {
        let recorded = kernel.recorded;
        let launch = recorded.and_then(|uid| self.index.launch(kernel.source, uid));
        let outcome = match launch {
            Some(launch) => Outcome::Linked {
                launch,
                method: Method::Recorded,
            },
            None => Outcome::Unmatched(self.owners.unknown(Some(kernel.source))),
        };
        let watched = !self.owners.processes(kernel.source).is_empty();
        let range = self.range(kernel);
        let row = range.and_then(|range| self.ranges.get(range.0 as usize));
        match row.and_then(|range| range.launch) {
            Some(uid) if Some(uid) == recorded => check.agreed += 1,
            Some(_) => check.disagreed += 1,
            None if watched => check.absent += 1,
            None => {}
        }
        (outcome, range)
    }

    /// The innermost UID-carrying range of the kernel's thread around its middle, which the error of the clocks
    /// moves out of the range less easily than its ends.
    fn range(&self, kernel: &Kernel) -> Option<RangeIndex> {
        let thread = self.os_threads.get(&(kernel.source, kernel.processor?))?;
        let middle = kernel.start + Nanos((kernel.end - kernel.start).0 / 2);
        let sessions = self.owners.processes(kernel.source).iter();
        sessions.copied().find_map(|(session, process)| {
            let thread = process | i64::from(*thread & 0xff_ffff);
            self.threads
                .innermost_with_uid(session, thread, middle, middle)
        })
    }
}
