//! Times of launches that are divided by estimate among the tasks they served.
//!
//! The time of a launch is its device time if it did work on a device, and otherwise the time from
//! its start to its end. Each task it served is assigned its share of that time, rounded to ns.

use super::{Launch, Outcome, Recorder, SourceIndex, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// Device times in ns of launches that did work on a device, by row of
/// [`Work::launches`](crate::Work::launches).
#[derive(Debug, Default)]
pub struct DeviceTimes(FxHashMap<usize, f64>);

impl DeviceTimes {
    /// Sums the times of each launch's kernels, copies and fills.
    pub fn new(trace: &Trace) -> Self {
        let mut times: FxHashMap<usize, f64> = FxHashMap::default();
        for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
            if let Outcome::Linked { launch, .. } = outcome
                && kernel.recorder != Recorder::Host
                && (launch.0 as usize) < trace.work.launches.len()
            {
                *times.entry(launch.0 as usize).or_default() +=
                    (kernel.end - kernel.start).0 as f64;
            }
        }
        DeviceTimes(times)
    }

    /// Returns the sources that have records of device work for their launches or tasks.
    pub fn sources(&self, trace: &Trace) -> FxHashSet<SourceIndex> {
        let launches = self
            .launches()
            .filter_map(|row| trace.work.launches.get(row));
        let tasks = trace.work.tasks.iter().filter(|task| task.device.is_some());
        let sources = launches.map(|launch| launch.source);
        sources.chain(tasks.map(|task| task.source)).collect()
    }

    /// Returns the rows of launches that did work on a device.
    pub fn launches(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.keys().copied()
    }

    /// Returns the part of a launch's time, in ns, for a share of it.
    pub fn part(&self, row: usize, launch: &Launch, share: f64) -> i64 {
        let device = self.0.get(&row).copied();
        let time = device.unwrap_or((launch.end - launch.start).0 as f64);
        (time * share).round() as i64
    }
}
