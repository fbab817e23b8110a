//! The arithmetic of kernels.

use super::{Index, Kernel, KernelKind, Outcome, Served, Task, Trace};
use std::ops::AddAssign;
use weft_trace::record::Arithmetic;

/// Floating-point operations, by the width of their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Floats {
    /// Operations on 64-bit numbers.
    pub double: u64,
    /// Operations on 32-bit numbers, and on 16-bit numbers, which are computed with 32 bits.
    pub single: u64,
}

impl From<Arithmetic> for Floats {
    fn from(Arithmetic { operations, single }: Arithmetic) -> Self {
        match single {
            true => Floats {
                double: 0,
                single: operations,
            },
            false => Floats {
                double: operations,
                single: 0,
            },
        }
    }
}

impl AddAssign for Floats {
    fn add_assign(&mut self, other: Floats) {
        self.double = self.double.saturating_add(other.double);
        self.single = self.single.saturating_add(other.single);
    }
}

impl Floats {
    /// Returns the sum of both.
    pub fn total(self) -> u64 {
        self.double.saturating_add(self.single)
    }

    /// Returns the arithmetic that a kernel does for the task or copy that its launch serves, if
    /// known. Copies and fills do none.
    pub fn of_served(trace: &Trace, kernel: &Kernel, served: Option<Served>) -> Option<Floats> {
        let task = |row: u32| -> Option<&Task> { trace.work.tasks.get(row as usize) };
        match (kernel.kind, served?) {
            (KernelKind::Memcpy | KernelKind::Memset, _) | (_, Served::Copy(_)) => {
                Some(Floats::default())
            }
            (KernelKind::Kernel | KernelKind::Graph, Served::Task(row)) => {
                Some(task(row)?.arithmetic?.into())
            }
        }
    }

    /// Returns the arithmetic of each kernel. It is unknown if the launch has several kernels,
    /// because the share of each is not recorded.
    pub fn of_kernels(trace: &Trace, index: &Index) -> Vec<Option<Floats>> {
        let several = several(trace);
        let rows = trace.devices.kernels.iter().zip(&trace.links.outcomes);
        let floats = rows.map(|(kernel, outcome)| {
            let Outcome::Linked { launch, .. } = outcome else {
                return None;
            };
            if several.get(launch.0 as usize) == Some(&true) {
                return None;
            }
            let launch = trace.work.launches.get(launch.0 as usize)?;
            let mut all = Floats::default();
            for (uid, _) in launch.served() {
                let served = index.served(launch.source, uid);
                all += Floats::of_served(trace, kernel, served)?;
            }
            Some(all)
        });
        floats.collect()
    }
}

/// Returns for each launch whether it has several kernels, not counting copies and fills.
pub fn several(trace: &Trace) -> Vec<bool> {
    let mut kernels = vec![0_u32; trace.work.launches.len()];
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        let computes = matches!(kernel.kind, KernelKind::Kernel | KernelKind::Graph);
        if let Outcome::Linked { launch, .. } = outcome
            && let Some(count) = kernels.get_mut(launch.0 as usize).filter(|_| computes)
        {
            *count += 1;
        }
    }
    kernels.into_iter().map(|count| count > 1).collect()
}
