//! The time of every task and copy, and that of its kernels.

use crate::joined::{Index, Joined, Outcome, Served, SourceIndex};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// What something cost, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Times {
    /// From its start to its end, less what belongs to others that the same launch served.
    pub(super) own: i64,
    /// Of kernels.
    pub(super) kernels: f64,
    /// Of `own`, the time of tasks that started later on the same processor and count for themselves.
    pub(super) nested: i64,
}

impl Times {
    /// Both together.
    pub(super) fn with(&self, other: &Times) -> Times {
        Times {
            own: self.own.saturating_add(other.own),
            kernels: self.kernels + other.kernels,
            nested: self.nested.saturating_add(other.nested),
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
}

impl Cost {
    pub(super) fn of(joined: &Joined, index: &Index) -> Self {
        let times = |start: Timestamp, end: Timestamp| Times {
            own: (end - start).0,
            kernels: 0.0,
            nested: 0,
        };
        let tasks = joined.tasks.iter();
        let copies = joined.copies.iter();
        let mut cost = Cost {
            tasks: tasks.map(|task| times(task.start, task.end)).collect(),
            copies: copies.map(|copy| times(copy.start, copy.end)).collect(),
            rest: 0.0,
        };
        for launch in &joined.launches {
            let time = (launch.end - launch.start).0 as f64;
            for (uid, share) in &launch.shares {
                if let Some(times) = cost.served(index, launch.source, *uid) {
                    let of_others = (time * (1.0 - share)).round() as i64;
                    times.own = times.own.saturating_sub(of_others).max(0);
                }
            }
        }
        for (kernel, outcome) in joined.kernels.iter().zip(&joined.outcomes) {
            let time = (kernel.end - kernel.start).0 as f64;
            let launch = match outcome {
                Outcome::Linked { launch, .. } => joined.launches.get(launch.0 as usize),
                Outcome::Unmatched(_) => None,
            };
            let Some(launch) = launch else {
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
        for (times, nested) in cost.tasks.iter_mut().zip(joined.nested_times()) {
            times.nested = nested.min(times.own);
        }
        // Where a runtime recorded from when to when a task had work on a device and no kernels, that is their time.
        for (task, times) in joined.tasks.iter().zip(&mut cost.tasks) {
            if let Some((start, end)) = task.device.filter(|_| times.kernels == 0.0) {
                times.kernels = (end - start).0 as f64;
            }
        }
        cost
    }

    /// What a launch of `source` serves.
    fn served(&mut self, index: &Index, source: SourceIndex, uid: Uid) -> Option<&mut Times> {
        match index.served(source, uid)? {
            Served::Task(row) => self.tasks.get_mut(row as usize),
            Served::Copy(row) => self.copies.get_mut(row as usize),
        }
    }
}

/// Adds, for each task and copy whose share of a launch is estimated, the time in ns that its key has from it; 0 where all that
/// the launch serves is of that key, since their sum is measured.
pub(super) fn estimated<K: Copy + PartialEq>(
    joined: &Joined,
    index: &Index,
    key: impl Fn(Served) -> Option<K>,
    mut add: impl FnMut(K, i64),
) {
    let launches = joined.launches.iter();
    for launch in launches.filter(|launch| launch.split.is_estimated()) {
        let keys = launch.served().map(|(uid, share)| {
            let served = index.served(launch.source, uid);
            (served.and_then(&key), share)
        });
        let keys: Vec<(Option<K>, f64)> = keys.collect();
        let first = keys.first().and_then(|(key, _)| *key);
        let time = match keys.iter().all(|(key, _)| *key == first) {
            true => 0.0,
            false => (launch.end - launch.start).0 as f64,
        };
        for (key, share) in keys {
            if let Some(key) = key {
                add(key, (time * share).round() as i64);
            }
        }
    }
}
