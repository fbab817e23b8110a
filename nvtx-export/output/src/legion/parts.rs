//! The part of each task in the time of a launch that serves several tasks.
//!
//! The format has no launches, and its reader sums the times of tasks. Therefore the time of a
//! launch is divided. Its tasks follow each other in the order of the launch, and the length of
//! each is its share of the launch.

use weft_model::{Index, Served, Trace};

/// For each task, the sum of the shares before it, and that sum with its own share. `None` if the
/// task has its own launch.
pub(super) struct Parts(Vec<Option<[f64; 2]>>);

impl Parts {
    /// Computes the parts from the shares of the launches.
    pub(super) fn new(trace: &Trace, index: &Index) -> Self {
        let mut parts = vec![None; trace.work.tasks.len()];
        for launch in &trace.work.launches {
            if launch.shares.len() < 2 {
                continue;
            }
            let mut before = 0.0;
            for (uid, share) in &launch.shares {
                let after = before + share;
                if let Some(Served::Task(row)) = index.served(launch.source, *uid)
                    && let Some(part) = parts.get_mut(row as usize)
                {
                    *part = Some([before, after]);
                }
                before = after;
            }
        }
        Parts(parts)
    }

    /// Returns the task's part of the time of its launch. If the launch serves no other task, this
    /// is all of it.
    pub(super) fn cut(&self, row: u32, [start, end]: [u64; 2]) -> [u64; 2] {
        let Some(part) = self.0.get(row as usize).copied().flatten() else {
            return [start, end];
        };
        let length = end.saturating_sub(start);
        // Shares come from files and may have any value.
        let [from, to] =
            part.map(|share| start + ((share * length as f64).round() as u64).min(length));
        [from, to.max(from)]
    }

    /// Returns the number of tasks that have only a part of their launch.
    pub(super) fn count(&self) -> u64 {
        self.0.iter().flatten().count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_and_fill_the_launch() {
        let parts = Parts(vec![
            Some([0.0, 1.0 / 3.0]),
            Some([1.0 / 3.0, 2.0 / 3.0]),
            Some([2.0 / 3.0, 1.0]),
            None,
            Some([0.5, f64::NAN]),
        ]);
        let cut = |row| parts.cut(row, [100, 200]);
        assert_eq!(
            [cut(0), cut(1), cut(2)],
            [[100, 133], [133, 167], [167, 200]]
        );
        assert_eq!(cut(3), [100, 200]);
        assert_eq!(cut(9), [100, 200]);
        assert_eq!(cut(4), [150, 150]);
        assert_eq!(parts.count(), 4);
    }
}
