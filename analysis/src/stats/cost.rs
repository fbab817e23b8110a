//! The time of every task and copy, and that of its kernels.
//!
//! The time of a GPU's task is device time: that of its kernels, copies and fills. The time of any
//! other task is that from its start to its end. The host's time for issuing GPU work is separate.
//! If a source has no records of GPU work, the times of its GPU tasks are those of their issue. If
//! it has such records, but none for a task, the time of the task is unknown, because the records
//! of its kernels may be lost.

use rustc_hash::FxHashSet;
use weft_model::{DeviceTimes, Index, Outcome, Served, SourceIndex, Trace};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::ProcessorKind;
use weft_trace::time::Timestamp;

/// The cost of a task or copy, or of several, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Times {
    /// The device time on a GPU, otherwise the share of the time from start to end.
    pub(super) own: i64,
    /// The share of the time from start to end of the issue, if `own` is device time.
    pub(super) issue: Option<i64>,
    /// The time of kernels.
    pub(super) kernels: f64,
    /// The part of `own` in which tasks ran that started later on the same processor. They count
    /// separately.
    pub(super) nested: i64,
    /// The number of GPU tasks with unknown device time, which add nothing to `own`.
    pub(super) unknown: u64,
}

impl Times {
    /// Returns whether only the time of the issue is known.
    pub(super) fn is_unknown(&self) -> bool {
        self.unknown > 0 && self.own == 0 && self.kernels == 0.0
    }

    /// Returns the sum of both.
    pub(super) fn with(&self, other: &Times) -> Times {
        Times {
            own: self.own.saturating_add(other.own),
            issue: match (self.issue, other.issue) {
                (Some(one), Some(other)) => Some(one.saturating_add(other)),
                (one, other) => one.or(other),
            },
            kernels: self.kernels + other.kernels,
            nested: self.nested.saturating_add(other.nested),
            unknown: self.unknown.saturating_add(other.unknown),
        }
    }
}

/// Times by task and copy. A launch that serves several is divided by the shares, and so are its
/// kernels.
pub(super) struct Cost {
    /// The times of each task.
    pub(super) tasks: Vec<Times>,
    /// The times of each copy.
    pub(super) copies: Vec<Times>,
    /// The time of kernels without a known task.
    pub(super) rest: f64,
    /// The device times of launches.
    device: DeviceTimes,
}

impl Cost {
    pub(super) fn new(trace: &Trace, index: &Index) -> Self {
        let times = |start: Timestamp, end: Timestamp| Times {
            own: (end - start).0,
            issue: None,
            kernels: 0.0,
            nested: 0,
            unknown: 0,
        };
        let tasks = trace.work.tasks.iter();
        let copies = trace.work.copies.iter();
        let mut cost = Cost {
            tasks: tasks.map(|task| times(task.start, task.end)).collect(),
            copies: copies.map(|copy| times(copy.start, copy.end)).collect(),
            rest: 0.0,
            device: DeviceTimes::new(trace),
        };
        for launch in &trace.work.launches {
            let time = (launch.end - launch.start).0 as f64;
            for (uid, share) in &launch.shares {
                if let Some(times) = cost.served(index, launch.source, *uid) {
                    let of_others = (time * (1.0 - share)).round() as i64;
                    times.own = times.own.saturating_sub(of_others).max(0);
                }
            }
        }
        for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
            let time = (kernel.end - kernel.start).0 as f64;
            let row = match outcome {
                Outcome::Linked { launch, .. } => Some(launch.0 as usize),
                Outcome::Unmatched(_) => None,
            };
            let Some(launch) = row.and_then(|row| trace.work.launches.get(row)) else {
                cost.rest += time;
                continue;
            };
            for (uid, share) in launch.served() {
                match cost.served(index, launch.source, uid) {
                    Some(times) => times.kernels += time * share,
                    None => cost.rest += time * share,
                }
            }
        }
        for (times, nested) in cost.tasks.iter_mut().zip(trace.nested_times()) {
            times.nested = nested.min(times.own);
        }
        // If a runtime recorded the times of device work but no kernels, these count as kernel
        // times.
        for (task, times) in trace.work.tasks.iter().zip(&mut cost.tasks) {
            if let Some((start, end)) = task.device.filter(|_| times.kernels == 0.0) {
                times.kernels = (end - start).0 as f64;
            }
        }
        cost.use_device_times(trace, index);
        cost
    }

    /// Replaces times by device times for work on a device.
    fn use_device_times(&mut self, trace: &Trace, index: &Index) {
        let served = self.device.launches();
        let served = served.filter_map(|row| trace.work.launches.get(row));
        let served = served.flat_map(|launch| {
            let source = launch.source;
            launch
                .served()
                .filter_map(move |(uid, _)| index.served(source, uid))
        });
        let mut on_device: FxHashSet<Served> = served.collect();
        let gpus = processors(trace, ProcessorKind::Gpu);
        let sources = self.device.sources(trace);
        for (row, task) in (0..).zip(&trace.work.tasks) {
            let is_on_gpu = gpus.contains(&(task.source, task.processor));
            if task.device.is_some() {
                on_device.insert(Served::Task(row));
            } else if is_on_gpu
                && sources.contains(&task.source)
                && on_device.insert(Served::Task(row))
                && let Some(times) = self.tasks.get_mut(row as usize)
            {
                // The times of kernels that the host recorded for it are known.
                times.unknown = u64::from(times.kernels == 0.0);
            }
        }
        for served in on_device {
            let times = match served {
                Served::Task(row) => self.tasks.get_mut(row as usize),
                Served::Copy(row) => self.copies.get_mut(row as usize),
            };
            if let Some(times) = times {
                times.issue = Some(times.own);
                times.own = times.kernels.round() as i64;
                times.nested = 0;
            }
        }
    }

    /// Returns the times of the task or copy that a launch of `source` serves.
    fn served(&mut self, index: &Index, source: SourceIndex, uid: Uid) -> Option<&mut Times> {
        match index.served(source, uid)? {
            Served::Task(row) => self.tasks.get_mut(row as usize),
            Served::Copy(row) => self.copies.get_mut(row as usize),
        }
    }
}

/// Returns the time of each task and of each copy, in ns.
pub(crate) fn work_times(trace: &Trace, index: &Index) -> (Vec<i64>, Vec<i64>) {
    let cost = Cost::new(trace, index);
    let own = |times: &Vec<Times>| times.iter().map(|times| times.own).collect();
    (own(&cost.tasks), own(&cost.copies))
}

/// Returns the processors of one kind.
pub(super) fn processors(
    trace: &Trace,
    kind: ProcessorKind,
) -> FxHashSet<(SourceIndex, ProcessorId)> {
    let processors = trace
        .machine
        .processors
        .iter()
        .filter(|row| row.kind == kind);
    processors.map(|row| (row.source, row.id)).collect()
}

/// Adds the estimated time in ns to the key of each task and copy whose share of a launch is
/// estimated. The time is 0 if the launch serves only this key, because the sum is then measured.
pub(super) fn estimated<K: Copy + PartialEq>(
    trace: &Trace,
    index: &Index,
    cost: &Cost,
    key: impl Fn(Served) -> Option<K>,
    mut add: impl FnMut(K, i64),
) {
    let launches = trace.work.launches.iter().enumerate();
    for (row, launch) in launches.filter(|(_, launch)| launch.split.is_estimated()) {
        let keys = launch.served().map(|(uid, share)| {
            let served = index.served(launch.source, uid);
            (served.and_then(&key), share)
        });
        let keys: Vec<(Option<K>, f64)> = keys.collect();
        let first = keys.first().and_then(|(key, _)| *key);
        let is_mixed = keys.iter().any(|(key, _)| *key != first);
        for (key, share) in keys {
            if let Some(key) = key {
                let part = cost.device.part(row, launch, share);
                add(key, if is_mixed { part } else { 0 });
            }
        }
    }
}
