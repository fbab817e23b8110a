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
    /// Cores: the smaller of the affinity mask and the control group's quota; of a rank, its share of them.
    pub cores: usize,
    /// Main memory: the smaller of the machine's and the control group's limit.
    pub memory_total: Bytes,
    /// The part of it that is free or can be freed at this time.
    pub memory_available: Bytes,
    /// GPUs that the CUDA driver shows to this process; 0 where nobody asked it.
    pub gpus: usize,
    /// The other ranks that the memory and the GPUs are shared with; `None`: there are none.
    pub shared: Option<Shared>,
}

impl Machine {
    /// Probes cores and memory; unknown values become one core and 4096 MiB.
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

    /// Looks at what these flags leave to the machine or that they ask of it. The CUDA driver is asked only where GPUs
    /// may be used.
    pub fn probe_for(flags: &Flags) -> Machine {
        let mut machine = Machine::probe();
        if may_use_gpus(flags) {
            machine.gpus = gpu::count();
        }
        machine
    }

    /// The same for a rank of a launch: it has its share of what the ranks of its node have together.
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
    fn the_driver_is_asked_only_where_gpus_may_be_used() {
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
