//! The emulated machine: GPUs with memory, queues of work, and their execution, late and in a
//! random order.

pub(crate) mod access;
pub(crate) mod arena;
pub(crate) mod code;
pub(crate) mod context;
pub(crate) mod copy;
pub(crate) mod execute;
pub(crate) mod fft;
pub(crate) mod function;
pub(crate) mod gemm;
pub(crate) mod graph;
pub(crate) mod handle;
pub(crate) mod host_memory;
pub(crate) mod managed;
pub(crate) mod queue;
pub(crate) mod solver;
pub(crate) mod stream;
mod tick;
mod traffic;
pub(crate) mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::host::{Random, seed};
use context::Gpu;
use function::{Function, LoadedModule};
use graph::{Exec, Graph};
use handle::Id;
use host_memory::HostRange;
use queue::Queues;
use stream::{Event, Stream};

/// The state of the driver.
pub(crate) struct Machine {
    /// The GPUs, by ordinal.
    pub(crate) gpus: Vec<Gpu>,
    pub(crate) streams: BTreeMap<Id, Stream>,
    pub(crate) events: BTreeMap<Id, Event>,
    pub(crate) modules: BTreeMap<Id, LoadedModule>,
    pub(crate) functions: BTreeMap<Id, Function>,
    pub(crate) graphs: BTreeMap<Id, Graph>,
    pub(crate) execs: BTreeMap<Id, Exec>,
    /// Host memory registered with the driver, by its first byte.
    pub(crate) host: BTreeMap<u64, HostRange>,
    /// Bytes of each allocation of unified memory, by its first byte.
    pub(crate) managed: BTreeMap<u64, u64>,
    /// Bytes of main memory for pages of unified memory.
    pub(crate) host_bytes: u64,
    pub(crate) queues: Queues,
    /// Kernels that CUPTI has reported before they ran.
    pub(crate) told_unfinished: BTreeSet<u64>,
    pub(crate) random: Random,
    /// Whether devices other than GPUs access device memory at any time.
    is_reachable: bool,
    next: u64,
}

impl Machine {
    fn new() -> Machine {
        Machine {
            gpus: context::gpus(),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            modules: BTreeMap::new(),
            functions: BTreeMap::new(),
            graphs: BTreeMap::new(),
            execs: BTreeMap::new(),
            host: BTreeMap::new(),
            managed: BTreeMap::new(),
            host_bytes: context::number("WEFT_EMULATED_HOST_MIB", 4096) << 20,
            queues: Queues::default(),
            told_unfinished: BTreeSet::new(),
            random: Random::new(seed()),
            is_reachable: std::env::var_os("WEFT_EMULATED_REACHABLE").is_some(),
            next: 0,
        }
    }

    /// Returns a number that was not used before.
    pub(crate) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

/// The machine, held by one thread. While it is not held, device memory is inaccessible.
pub(crate) struct MachineGuard(MutexGuard<'static, Option<Machine>>);

/// Waits for the machine.
pub(crate) fn machine() -> MachineGuard {
    static MACHINE: Mutex<Option<Machine>> = Mutex::new(None);
    let mut guard = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    guard.get_or_insert_with(Machine::new);
    MachineGuard(guard)
}

impl Deref for MachineGuard {
    type Target = Machine;

    #[allow(clippy::expect_used, reason = "made when the guard was")]
    fn deref(&self) -> &Machine {
        self.0.as_ref().expect("a machine")
    }
}

impl DerefMut for MachineGuard {
    #[allow(clippy::expect_used, reason = "made when the guard was")]
    fn deref_mut(&mut self) -> &mut Machine {
        self.0.as_mut().expect("a machine")
    }
}

impl Drop for MachineGuard {
    fn drop(&mut self) {
        self.close_memory();
        self.tell_pages();
    }
}
