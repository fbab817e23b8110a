//! The times of launches that are divided among what they served by estimate.
//!
//! The time of a launch is what it took where it computed: device time if it did work on a device, otherwise from its start to its end.
//! Each of what it served has its share of that time, rounded to ns.

use super::{Launch, Outcome, Recorder, SourceIndex, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// Device times of launches, by row of [`Work::launches`](crate::Work::launches): of those that did work on a device.
#[derive(Debug, Default)]
pub struct DeviceTimes(FxHashMap<usize, f64>);

impl DeviceTimes {
    /// The sums over the kernels, copies and fills of each launch.
    pub fn of(trace: &Trace) -> Self {
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

    /// The sources that have records of work on devices for their launches or tasks.
    pub fn sources(&self, trace: &Trace) -> FxHashSet<SourceIndex> {
        let launches = self
            .launches()
            .filter_map(|row| trace.work.launches.get(row));
        let tasks = trace.work.tasks.iter().filter(|task| task.device.is_some());
        let sources = launches.map(|launch| launch.source);
        sources.chain(tasks.map(|task| task.source)).collect()
    }

    /// The rows of launches that did work on a device.
    pub fn launches(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.keys().copied()
    }

    /// The part of a launch's time that belongs to a share of it, in ns.
    pub fn part(&self, row: usize, launch: &Launch, share: f64) -> i64 {
        let device = self.0.get(&row).copied();
        let time = device.unwrap_or((launch.end - launch.start).0 as f64);
        (time * share).round() as i64
    }
}
