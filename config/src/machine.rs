//! What this process may use.

pub mod gpu;
pub mod inventory;
mod library;
mod memory;
pub mod tool;

use crate::value::Bytes;
pub use inventory::Inventory;

/// What the machine gives to this process: its share, where a container or a CPU set limits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Cores: the smaller of the affinity mask and the control group's quota.
    pub cores: usize,
    /// Main memory: the smaller of the machine's and the control group's limit.
    pub memory_total: Bytes,
    /// The part of it that is free or can be freed at this time.
    pub memory_available: Bytes,
}

impl Machine {
    /// Looks at the machine. What cannot be found out is taken as one core and 4096 MiB.
    pub fn probe() -> Machine {
        let (memory_total, memory_available) = memory::probe();
        Machine {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_total,
            memory_available,
        }
    }

    /// Looks at all that Weft can make use of: GPUs, libraries and tools too. Starts programs, and takes a moment.
    pub fn probe_all() -> Inventory {
        Inventory::probe(Machine::probe())
    }
}
