//! What Weft can use on this machine, and what is missing.

use super::component::Component;
use super::library::CudaLibrary;
use super::process::Machine;
use super::{gpu, tool};

/// What the machine has.
#[derive(Clone, Debug)]
pub struct Inventory {
    /// What programs run on.
    pub machine: Machine,
    /// Its GPUs.
    pub gpus: Vec<gpu::Gpu>,
    /// Libraries and tools, present or not.
    pub components: Vec<Component>,
}

impl Inventory {
    /// Probes everything. Starts programs, so it takes a moment.
    pub fn probe() -> Inventory {
        let (gpus, cuda) = gpu::probe();
        let components = vec![
            cuda,
            CudaLibrary::Nvrtc.component(),
            CudaLibrary::Cublas.component(),
            CudaLibrary::Cufft.component(),
            CudaLibrary::Cusolver.component(),
            CudaLibrary::Cupti.component(),
            tool::nsys(),
            tool::mpi(),
        ];
        Inventory {
            machine: Machine::probe(),
            gpus,
            components,
        }
    }
}
