//! Work on devices that Nsight Systems saw: through the API call that started it to the range around that call.

use super::owners::Owners;
use super::threads::Threads;
use crate::joined::{
    ApiCall, Index, Joined, Kernel, Method, Outcome, RangeIndex, RangeRow, Reason, SourceIndex,
    process_of,
};

pub(super) struct Device<'a> {
    index: &'a Index,
    owners: &'a Owners,
    threads: &'a Threads,
    ranges: &'a [RangeRow],
    /// Sorted by source, process and correlation id, then by start.
    calls: Vec<ApiCall>,
}

fn key(call: &ApiCall) -> (SourceIndex, i64, i64) {
    (call.source, process_of(call.thread), call.correlation)
}

impl<'a> Device<'a> {
    pub(super) fn new(
        joined: &'a Joined,
        index: &'a Index,
        owners: &'a Owners,
        threads: &'a Threads,
    ) -> Self {
        let mut calls = joined.calls.clone();
        calls.sort_unstable_by_key(|call| (key(call), call.start));
        Device {
            index,
            owners,
            threads,
            ranges: &joined.ranges,
            calls,
        }
    }

    /// The launch of a kernel, and the innermost range of any domain around its API call.
    pub(super) fn find(&self, kernel: &Kernel) -> (Outcome, Option<RangeIndex>) {
        let Some(call) = self.call(kernel) else {
            return (Outcome::Unmatched(Reason::NoApiCall), None);
        };
        let session = kernel.source;
        let around = self
            .threads
            .innermost(session, call.thread, call.start, call.end);
        if around.is_none() {
            return (Outcome::Unmatched(Reason::OutsideRanges), None);
        }
        let range = self
            .threads
            .innermost_with_uid(session, call.thread, call.start, call.end);
        let row = range.and_then(|range| self.ranges.get(range.0 as usize));
        let Some(uid) = row.and_then(|range| range.launch) else {
            return (Outcome::Unmatched(Reason::RangeWithoutUid), around);
        };
        let file = self.owners.file(session, process_of(call.thread));
        let launch = file.and_then(|file| self.index.launch(file, uid));
        let outcome = match launch {
            Some(launch) => Outcome::Linked {
                launch,
                method: Method::Range,
            },
            None => Outcome::Unmatched(self.owners.unknown(file)),
        };
        (outcome, around)
    }

    /// The call with the kernel's correlation id in the kernel's process. Ids repeat across processes.
    fn call(&self, kernel: &Kernel) -> Option<&ApiCall> {
        let wanted = (kernel.source, kernel.process?, kernel.correlation?);
        let first = self.calls.partition_point(|call| key(call) < wanted);
        self.calls.get(first).filter(|call| key(call) == wanted)
    }
}
