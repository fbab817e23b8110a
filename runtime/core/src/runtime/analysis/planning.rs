//! The time that the analysis of an operation took, for the profile.

use weft_trace::id::{OperationUid, ProcessorId};
use weft_trace::record::Planning;
use weft_trace::time::{Nanos, Timestamp};

use super::Analysis;
use crate::observe::Recorder;

impl Analysis {
    /// Records the planning of operations that were planned together. `times` are: start,
    /// operations cut, tasks made, end.
    pub(super) fn planned(
        &mut self,
        recorder: &Recorder,
        on: ProcessorId,
        operations: &[OperationUid],
        times: [Timestamp; 4],
    ) {
        if !recorder.is_on() {
            return;
        }
        divide(operations, on, times, |planning| {
            recorder.write(&planning);
        });
        self.last = Some(times[3]);
    }
}

/// Gives each operation an equal part of each phase; each operation's parts follow those of the one
/// before.
fn divide(
    operations: &[OperationUid],
    processor: ProcessorId,
    times: [Timestamp; 4],
    mut write: impl FnMut(Planning),
) {
    let count = operations.len() as i64;
    let mut start = times[0];
    for (operation, at) in operations.iter().zip(0..) {
        let part = |phase: usize| {
            let length = (times[phase + 1] - times[phase]).0;
            // So that the parts add up to the whole, despite the remainder of the division.
            Nanos(length * (at + 1) / count - length * at / count)
        };
        let partitioned = start + part(0);
        let mapped = partitioned + part(1);
        let end = mapped + part(2);
        write(Planning {
            operation: *operation,
            processor,
            start,
            partitioned,
            mapped,
            end,
        });
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use weft_trace::id::{Rank, Uid};

    use super::*;

    #[test]
    fn planning_shares_cover_the_interval_in_order() {
        let operations = [1, 2, 3].map(|at| OperationUid(Uid::new(Rank::default(), at).unwrap()));
        let at = Timestamp::from_nanos_since_boot;
        for times in [[100, 100, 110, 131], [0, 7, 7, 9], [5, 5, 5, 5]] {
            let mut parts = Vec::new();
            let times = times.map(at);
            divide(&operations, ProcessorId(0), times, |part| parts.push(part));
            assert_eq!(parts.len(), 3);
            assert_eq!((parts[0].start, parts[2].end), (times[0], times[3]));
            assert!(parts.windows(2).all(|two| two[0].end == two[1].start));
            let sum = |of: &dyn Fn(&Planning) -> Nanos| parts.iter().map(|part| of(part).0).sum();
            let phases: [i64; 3] = [
                sum(&|part| part.partitioned - part.start),
                sum(&|part| part.mapped - part.partitioned),
                sum(&|part| part.end - part.mapped),
            ];
            let expected = [0, 1, 2].map(|phase| (times[phase + 1] - times[phase]).0);
            assert_eq!(phases, expected);
            let longest = parts.iter().map(|part| (part.end - part.start).0).max();
            assert!(longest <= Some((times[3] - times[0]).0 / 3 + 3));
        }
    }
}
