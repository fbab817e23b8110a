//! The resources of this process.

use super::shared::Shared;
use super::{gpu, memory};
use crate::bytes::Bytes;
use crate::flag::Flag;
use crate::flags::Flags;
use crate::launch::Launch;

/// The resources of this process, within the limits of its container or CPU set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The number of cores: the smaller of the affinity mask and the control group's quota, or a
    /// rank's share of them.
    pub cores: usize,
    /// The size of main memory: the smaller of the machine's and the control group's limit.
    pub memory_total: Bytes,
    /// The part of main memory that is currently free or can be freed.
    pub memory_available: Bytes,
    /// The number of GPUs that the CUDA driver shows to this process; 0 if the driver was not
    /// queried.
    pub gpus: usize,
    /// The ranks that share memory and GPUs with this process, if any.
    pub shared: Option<Shared>,
}

impl Machine {
    /// Probes cores and memory. Unknown values become one core and 4096 MiB.
    pub fn probe() -> Machine {
        let (memory_total, memory_available) = memory::probe();
        Machine {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_total,
            memory_available,
            gpus: 0,
            shared: None,
        }
    }

    /// Probes the resources that these flags need or leave to the machine. The CUDA driver is
    /// queried only if GPUs may be used.
    pub fn probe_for(flags: &Flags) -> Machine {
        let mut machine = Machine::probe();
        if may_use_gpus(flags) {
            machine.gpus = gpu::count();
        }
        machine
    }

    /// Probes the resources for a rank of a launch: its share of those of its node.
    pub fn probe_for_rank(flags: &Flags, launch: &Launch) -> Machine {
        let mut machine = Machine::probe_for(flags);
        if launch.local_size > 1 {
            let (cores, shared) = Shared::of_rank(launch, machine.cores);
            machine.cores = cores;
            machine.shared = Some(shared);
        }
        machine
    }
}

fn may_use_gpus(flags: &Flags) -> bool {
    match flags.number(Flag::Gpus) {
        Some(asked) => asked > 0,
        None => flags.switch(Flag::AutoConfig).unwrap_or(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_driver_only_if_gpus_may_be_used() {
        for (text, expected) in [
            ("", true),
            ("--gpus 0", false),
            ("--gpus 2", true),
            ("--auto-config=no", false),
            ("--auto-config=no --gpus 1", true),
        ] {
            let flags = Flags::from_text(text).unwrap();
            assert_eq!(may_use_gpus(&flags), expected, "{text}");
        }
    }
}
