//! The records of launches, with the tasks that they serve.

use smallvec::SmallVec;
use weft_trace::id::{LaunchUid, ProcessorId, TaskUid};
use weft_trace::record::{self, Shares};
use weft_trace::time::Timestamp;

use super::Recorder;

/// A launch that has ended.
pub(crate) struct Launched {
    pub(crate) uid: LaunchUid,
    pub(crate) processor: ProcessorId,
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
}

impl Launched {
    /// Writes down the launch, and the tasks that it serves with the bytes that each writes: the shares are of these.
    pub(crate) fn record(&self, recorder: &Recorder, tasks: &[(TaskUid, u64)]) {
        let shares: SmallVec<[(TaskUid, f64); 8]> = match tasks {
            // It is that of an unfused task, which has all of it.
            [(task, _)] if task.0 == self.uid.0 => SmallVec::new(),
            tasks => shares(tasks),
        };
        recorder.write(&record::Launch {
            uid: self.uid,
            processor: self.processor,
            start: self.start,
            end: self.end,
            shares: Shares::Items(&shares),
        });
    }
}

/// The part of a launch that each task has: its bytes of all bytes, or as much as the others where nothing is written.
fn shares(tasks: &[(TaskUid, u64)]) -> SmallVec<[(TaskUid, f64); 8]> {
    let all: u64 = tasks.iter().map(|(_, bytes)| bytes).sum();
    let share = |bytes: u64| match all {
        0 => 1.0 / tasks.len() as f64,
        all => bytes as f64 / all as f64,
    };
    tasks
        .iter()
        .map(|(task, bytes)| (*task, share(*bytes)))
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
    fn shares_go_by_bytes() {
        let shares = shares(&[(task(1), 30), (task(2), 0), (task(3), 10)]);
        assert_eq!(
            shares.as_slice(),
            [(task(1), 0.75), (task(2), 0.0), (task(3), 0.25)]
        );
    }

    #[test]
    fn who_writes_nothing_has_as_much_as_the_others() {
        let shares = shares(&[(task(1), 0), (task(2), 0)]);
        assert_eq!(shares.as_slice(), [(task(1), 0.5), (task(2), 0.5)]);
    }
}
