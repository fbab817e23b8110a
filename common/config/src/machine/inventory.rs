//! The resources that Weft can use on this machine, and the missing ones.

use super::bundle::CudaVersion;
use super::component::Component;
use super::library::CudaLibrary;
use super::process::Machine;
use super::{gpu, tool};

/// The resources of the machine.
#[derive(Clone, Debug)]
pub struct Inventory {
    /// The cores and memory of programs.
    pub machine: Machine,
    /// The GPUs.
    pub gpus: Vec<gpu::Gpu>,
    /// The newest CUDA version that the driver supports; `None` if there is no driver.
    pub cuda: Option<CudaVersion>,
    /// Libraries and tools, present or missing.
    pub components: Vec<Component>,
}

impl Inventory {
    /// Probes everything. This starts programs, so it takes a moment.
    pub fn probe() -> Inventory {
        let probe = gpu::probe();
        let components = vec![
            probe.driver,
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
            gpus: probe.gpus,
            cuda: probe.version,
            components,
        }
    }
}
