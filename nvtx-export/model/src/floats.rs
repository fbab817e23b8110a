//! How much kernels compute.

use super::{Index, Kernel, KernelKind, Outcome, Served, Task, Trace};
use std::ops::AddAssign;
use weft_trace::record::Arithmetic;

/// Floating-point operations, by the bits of their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Floats {
    /// Of numbers of 64 bits.
    pub double: u64,
    /// Of numbers of 32 bits, and of 16, which are computed with as such.
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
    /// Both together.
    pub fn all(self) -> u64 {
        self.double.saturating_add(self.single)
    }

    /// What a kernel computes for what its launch serves; `None` where that is not known. A copy or fill computes nothing.
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

    /// What each kernel computes. Not known of the kernels of a launch that has several: which of them computes how much was not
    /// recorded.
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

/// Of each launch, whether it has several kernels; copies and fills are none.
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
