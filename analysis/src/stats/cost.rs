//! The time of every task and copy, and that of its kernels.
//!
//! The time of a task is what it took where it computed: for a task of a GPU the device time, which is that of its kernels, copies and
//! fills there, and for any other from its start to its end. How long the host took to issue the work of a GPU is another number. If a
//! source has no record of work on GPUs, the time of its tasks of GPUs is that of their issue. If it has such records but none for a task,
//! the time of that task is unknown: the records of its kernels may be lost.

use rustc_hash::FxHashSet;
use weft_model::{DeviceTimes, Index, Outcome, Served, SourceIndex, Trace};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::ProcessorKind;
use weft_trace::time::Timestamp;

/// What something cost, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Times {
    /// Where it computed: device time on a GPU, otherwise from its start to its end, less what belongs to others that the same launch
    /// served.
    pub(super) own: i64,
    /// From the start to the end of its issue, less what belongs to others, if `own` is device time.
    pub(super) issue: Option<i64>,
    /// Of kernels.
    pub(super) kernels: f64,
    /// Of `own`, the time of tasks that started later on the same processor and count for themselves.
    pub(super) nested: i64,
    /// The number of tasks of a GPU whose device time is unknown; they add nothing to `own`.
    pub(super) unknown: u64,
}

impl Times {
    /// Returns whether nothing is known but the time of the issue.
    pub(super) fn is_unknown(&self) -> bool {
        self.unknown > 0 && self.own == 0 && self.kernels == 0.0
    }

    /// Both together.
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

/// Times by what they were for. A launch that serves several, and its kernels, are split by the shares.
pub(super) struct Cost {
    /// For each task.
    pub(super) tasks: Vec<Times>,
    /// For each copy.
    pub(super) copies: Vec<Times>,
    /// Of kernels whose task is not known.
    pub(super) rest: f64,
    /// Device time of launches.
    device: DeviceTimes,
}

impl Cost {
    pub(super) fn of(trace: &Trace, index: &Index) -> Self {
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
            device: DeviceTimes::of(trace),
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
        // Where a runtime recorded from when to when a task had work on a device and no kernels, that is their time.
        for (task, times) in trace.work.tasks.iter().zip(&mut cost.tasks) {
            if let Some((start, end)) = task.device.filter(|_| times.kernels == 0.0) {
                times.kernels = (end - start).0 as f64;
            }
        }
        cost.use_device_times(trace, index);
        cost
    }

    /// Makes device times the times of what computed on a device.
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
                // Kernels that the host recorded for it have known times.
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

    /// What a launch of `source` serves.
    fn served(&mut self, index: &Index, source: SourceIndex, uid: Uid) -> Option<&mut Times> {
        match index.served(source, uid)? {
            Served::Task(row) => self.tasks.get_mut(row as usize),
            Served::Copy(row) => self.copies.get_mut(row as usize),
        }
    }
}

/// Returns the time of each task and of each copy, in ns.
pub(crate) fn work_times(trace: &Trace, index: &Index) -> (Vec<i64>, Vec<i64>) {
    let cost = Cost::of(trace, index);
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

/// Adds, for each task and copy whose share of a launch is estimated, the time in ns that its key
/// has from it; 0 if all that the launch serves is of that key, since their sum is measured.
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
