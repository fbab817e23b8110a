//! Tasks that ran while another task of the same processor had not ended.
//!
//! Legion starts a task on a processor whose task waits, and its external thread runs the whole
//! program as one task around the top-level task. One instant then lies within several tasks. To
//! count it once, sums over tasks assign each instant to the task that started last.

use super::{Recording, SourceIndex, SourceKind, Task};
use std::cmp::Reverse;

impl Recording {
    /// Returns for each task the part of its time, in ns, in which tasks ran that started later on
    /// the same processor. It is nonzero only for tasks of Legion.
    pub fn nested_times(&self) -> Vec<i64> {
        let mut nested = vec![0; self.work.tasks.len()];
        let is_legion = |source: SourceIndex| {
            let source = self.sources.get(source.0 as usize);
            source.is_some_and(|source| source.kind == SourceKind::LegionProf)
        };
        let mut rows: Vec<(usize, &Task)> = (self.work.tasks.iter().enumerate())
            .filter(|(_, task)| is_legion(task.source))
            .collect();
        let place = |task: &Task| (task.source, task.processor);
        rows.sort_unstable_by_key(|(row, task)| (place(task), task.start, Reverse(task.end), *row));
        for rows in rows.chunk_by(|a, b| place(a.1) == place(b.1)) {
            let intervals: Vec<(i64, i64)> = (rows.iter())
                .map(|(_, task)| (task.start.nanos(), task.end.nanos()))
                .collect();
            for ((row, task), own) in rows.iter().zip(own_times(&intervals)) {
                if let Some(nested) = nested.get_mut(*row) {
                    *nested = (task.end - task.start).0.saturating_sub(own).max(0);
                }
            }
        }
        nested
    }
}

/// Returns the time of each interval during which no later one is open. Intervals are sorted by
/// start, and longer ones first if starts are equal.
fn own_times(intervals: &[(i64, i64)]) -> Vec<i64> {
    let mut own = vec![0_i64; intervals.len()];
    // Intervals that have not ended, the last started on top.
    let mut open: Vec<(usize, i64)> = Vec::new();
    let mut at = i64::MIN;
    let mut run_until = |open: &mut Vec<(usize, i64)>, until: i64| {
        while let Some((row, end)) = open.last().copied() {
            if at < end.min(until) {
                if let Some(own) = own.get_mut(row) {
                    *own = own.saturating_add(end.min(until).saturating_sub(at));
                }
                at = end.min(until);
            }
            if end > until {
                break;
            }
            open.pop();
        }
        at = at.max(until);
    };
    for (row, (start, end)) in intervals.iter().enumerate() {
        run_until(&mut open, *start);
        open.push((row, *end));
    }
    run_until(&mut open, i64::MAX);
    own
}

#[cfg(test)]
mod tests {
    use super::own_times;

    #[test]
    fn each_instant_belongs_to_the_latest_started_interval() {
        for (intervals, expected) in [
            (vec![], vec![]),
            (vec![(0, 10), (10, 20), (30, 40)], vec![10, 10, 10]),
            (
                vec![(0, 100), (10, 20), (15, 18), (30, 30)],
                vec![90, 7, 3, 0],
            ),
            // The second interval outlasts the first.
            (vec![(0, 10), (5, 15)], vec![5, 10]),
            (vec![(0, 10), (0, 10)], vec![0, 10]),
            (
                vec![(0, 50), (5, 15), (10, 12), (40, 60)],
                vec![30, 8, 2, 20],
            ),
        ] {
            let own = own_times(&intervals);
            assert_eq!(own, expected, "{intervals:?}");
        }
        // Together they equal the time in which any interval is open.
        let mut seed = 7_u64;
        for _ in 0..200 {
            let mut intervals: Vec<(i64, i64)> = (0..12)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let start = (seed >> 40) as i64 % 50;
                    (start, start + (seed >> 20) as i64 % 20)
                })
                .collect();
            intervals.sort_unstable_by_key(|(start, end)| (*start, -end));
            let any = |at: &i64| {
                let mut found = intervals.iter();
                found.any(|(start, end)| start <= at && at < end)
            };
            let busy = (0..100).filter(any).count() as i64;
            assert_eq!(
                own_times(&intervals).iter().sum::<i64>(),
                busy,
                "{intervals:?}"
            );
        }
    }
}
