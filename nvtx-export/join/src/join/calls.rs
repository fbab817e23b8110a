//! The API call that started GPU work.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::ops::Range;
use weft_model::{ApiCall, Kernel, Recording, SourceIndex, process_of};

/// The number of calls before the nearest one that are checked for enclosing it: a call of the
/// runtime makes one of the driver.
const AROUND: usize = 16;

/// API calls by process and correlation id.
pub(super) struct Calls<'a> {
    calls: &'a [ApiCall],
    /// The calls of each process of each source, sorted by correlation id and start.
    processes: FxHashMap<(SourceIndex, i64), Range<usize>>,
}

/// Sorts the calls of a trace as [`Calls`] requires, in place because there may be many millions.
pub(super) fn sort(recording: &mut Recording) {
    let key = |call: &ApiCall| {
        (
            (call.source, process_of(call.thread), call.correlation),
            (call.start, Reverse(call.end), call.thread),
        )
    };
    if !recording.devices.calls.is_sorted_by_key(key) {
        recording.devices.calls.par_sort_unstable_by_key(key);
    }
}

impl<'a> Calls<'a> {
    /// Indexes calls that were sorted by [`sort`].
    pub(super) fn new(calls: &'a [ApiCall]) -> Self {
        let place = |call: &ApiCall| (call.source, process_of(call.thread));
        let mut processes = FxHashMap::default();
        let mut first = 0;
        while let Some(call) = calls.get(first) {
            let rest = calls.get(first..).unwrap_or(&[]);
            let end = first + rest.partition_point(|other| place(other) <= place(call));
            processes.insert(place(call), first..end);
            first = end;
        }
        Calls { calls, processes }
    }

    /// Returns the call that started this work: the nearest earlier call with its correlation id in
    /// its process, because ids repeat after 2^32 calls. Of nested calls it is the outermost,
    /// because a call of the runtime and its call of the driver share their id.
    pub(super) fn of_kernel(&self, kernel: &Kernel) -> Option<&'a ApiCall> {
        let correlation = kernel.correlation?;
        let calls = self.processes.get(&(kernel.source, kernel.process?))?;
        let calls = self.calls.get(calls.clone())?;
        let first = calls.partition_point(|call| call.correlation < correlation);
        let calls = calls.get(first..)?;
        if calls.first()?.correlation != correlation {
            return None;
        }
        let begun = |call: &ApiCall| call.correlation == correlation && call.start <= kernel.start;
        // Usually there are one or two calls.
        let begun = match calls.get(2).is_some_and(begun) {
            true => calls.partition_point(begun),
            false => calls.iter().take_while(|call| begun(call)).count(),
        };
        let nearest = begun.saturating_sub(1);
        let mut found = calls.get(nearest)?;
        let before = calls.get(..nearest).unwrap_or(&[]);
        for call in before.iter().rev().take(AROUND) {
            let around = call.start <= found.start && call.end >= found.end;
            if call.thread == found.thread && around {
                found = call;
            }
        }
        Some(found)
    }
}
