//! The records of launches, with the tasks that they serve.

use smallvec::SmallVec;
use weft_trace::id::{LaunchUid, ProcessorId, TaskUid};
use weft_trace::record::{self, Shares};
use weft_trace::time::Timestamp;

use super::Recorder;

/// The basis on which a launch's time is divided among its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weights {
    /// The time that each task took, in a sufficient number of its blocks.
    Measured,
    /// The time that each task took, in too few blocks to be representative.
    FewTimes,
    /// The bytes that each task writes.
    Bytes,
}

/// A launch that has ended.
pub(crate) struct Launched {
    pub(crate) uid: LaunchUid,
    pub(crate) processor: ProcessorId,
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
}

impl Launched {
    /// Records the launch and the tasks that it serves, each with its weight, which gives its
    /// share.
    pub(crate) fn record(&self, recorder: &Recorder, tasks: &[(TaskUid, u64)], weights: Weights) {
        let shares: SmallVec<[(TaskUid, f64); 8]> = match tasks {
            // The launch of an unfused task, which has all of it.
            [(task, _)] if task.0 == self.uid.0 => SmallVec::new(),
            tasks => shares(tasks),
        };
        recorder.write(&record::Launch {
            uid: self.uid,
            processor: self.processor,
            start: self.start,
            end: self.end,
            measured: weights == Weights::Measured,
            shares: Shares::Items(&shares),
        });
    }
}

/// Returns the share of a launch for each task: its weight over the sum, or equal shares if all
/// weights are 0.
fn shares(tasks: &[(TaskUid, u64)]) -> SmallVec<[(TaskUid, f64); 8]> {
    let all: u64 = tasks.iter().map(|(_, weight)| weight).sum();
    let share = |weight: u64| match all {
        0 => 1.0 / tasks.len() as f64,
        all => weight as f64 / all as f64,
    };
    tasks
        .iter()
        .map(|(task, weight)| (*task, share(*weight)))
        .collect()
}

#[cfg(test)]
mod tests {
    use weft_trace::id::Uid;

    use super::*;

    fn task(uid: u64) -> TaskUid {
        TaskUid(Uid::from_raw(uid).unwrap())
    }

    #[test]
    fn splits_launches_by_weight() {
        let shares = shares(&[(task(1), 30), (task(2), 0), (task(3), 10)]);
        assert_eq!(
            shares.as_slice(),
            [(task(1), 0.75), (task(2), 0.0), (task(3), 0.25)]
        );
    }

    #[test]
    fn splits_launches_equally_without_weights() {
        let shares = shares(&[(task(1), 0), (task(2), 0)]);
        assert_eq!(shares.as_slice(), [(task(1), 0.5), (task(2), 0.5)]);
    }
}
