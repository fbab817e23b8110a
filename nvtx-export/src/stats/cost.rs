//! The kernel time of every task and copy.

use crate::joined::{Index, Joined, Outcome, Served};

/// Time of kernels, in ns, by what it was for. A kernel of a fused launch is split by the shares.
pub(super) struct Cost {
    /// For each task.
    pub(super) tasks: Vec<f64>,
    /// For each copy.
    pub(super) copies: Vec<f64>,
    /// Of kernels whose task is not known.
    pub(super) rest: f64,
}

impl Cost {
    pub(super) fn of(joined: &Joined, index: &Index) -> Self {
        let mut cost = Cost {
            tasks: vec![0.0; joined.tasks.len()],
            copies: vec![0.0; joined.copies.len()],
            rest: 0.0,
        };
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
                let slot = match index.served(launch.source, uid) {
                    Some(Served::Task(row)) => cost.tasks.get_mut(row as usize),
                    Some(Served::Copy(row)) => cost.copies.get_mut(row as usize),
                    None => None,
                };
                *slot.unwrap_or(&mut cost.rest) += time * share;
            }
        }
        // Where a runtime recorded from when to when a task had work on a device and no kernels, that is their time.
        for (task, time) in joined.tasks.iter().zip(&mut cost.tasks) {
            if let Some((start, end)) = task.device.filter(|_| *time == 0.0) {
                *time = (end - start).0 as f64;
            }
        }
        cost
    }
}
