//! The kind of memory of arrays on GPUs.

/// The kind of memory of arrays on GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuMemory {
    /// The GPU's own memory.
    #[default]
    Device,
    /// Memory whose pages the driver moves between the GPU and main memory.
    Unified,
}

impl GpuMemory {
    /// Returns the name in `--gpu-memory`.
    pub fn name(self) -> &'static str {
        match self {
            GpuMemory::Device => "device",
            GpuMemory::Unified => "unified",
        }
    }
}
