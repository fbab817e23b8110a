//! From operations to CUDA C: which kernel does it, with which arguments, on how many threads. Pure functions; nothing
//! here needs a GPU.
//!
//! A family of kernels is a module with a `Key`: what the source of one of its kernels depends on, and nothing else.
//! Everything that may differ from launch to launch (addresses, counts, steps, values) is an argument. The functions
//! on elements that all families share are the CUDA C files in `cuda/`.

mod c;
mod chain;
mod elementwise;
mod fold;
mod generate;
mod grid;
mod index;
mod job;
mod linear;
mod loops;
mod name;
mod nest;
mod plan;
mod reduce;
mod scan;
#[cfg(test)]
pub(crate) mod testing;

use smallvec::SmallVec;

pub(crate) use chain::Chain;
pub(crate) use job::{DeviceOperand, DeviceTile, Job};

pub(crate) use plan::{Plan, Planned};

use super::api::GpuInfo;
use super::work::{Address, Work};
use crate::dtype::DType;
pub(crate) use crate::kernel::chain::{Step, StepKind, Value};
use crate::operation::{Operand, Operation, Role};

/// Names one generated kernel: everything its source depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(
    clippy::large_enum_variant,
    reason = "a key is made at each launch, and a box would be an allocation each"
)]
pub(crate) enum Kernel {
    /// A chain of elementwise operations.
    Elementwise(elementwise::Key),
    /// Values made from the index of an element.
    Generate(generate::Key),
    /// A part of a reduction.
    Reduce(reduce::Key),
    /// A part of a running sum or product.
    Scan(scan::Key),
    /// Elements picked by index, or written to.
    Index(index::Key),
    /// A product with a matrix.
    Linear(linear::Key),
}

impl Kernel {
    /// The name of its entry: what it does and to which dtype, as `weft_add_mul_f64`. Kernels of different sources
    /// have different names.
    pub(crate) fn name(&self) -> String {
        match self {
            Kernel::Elementwise(key) => key.name(),
            Kernel::Generate(key) => key.name(),
            Kernel::Reduce(key) => key.name(),
            Kernel::Scan(key) => key.name(),
            Kernel::Index(key) => key.name(),
            Kernel::Linear(key) => key.name(),
        }
    }

    /// Its CUDA C, complete: needs no header, and has one entry of that [`name`](Self::name), each of whose parameters
    /// is 8 bytes wide.
    pub(crate) fn source(&self) -> String {
        match self {
            Kernel::Elementwise(key) => key.source(),
            Kernel::Generate(key) => key.source(),
            Kernel::Reduce(key) => key.source(),
            Kernel::Scan(key) => key.source(),
            Kernel::Index(key) => key.source(),
            Kernel::Linear(key) => key.source(),
        }
    }
}

/// Whether GPUs have code for an operation. Values of the program are bytes, whatever they mean.
pub(crate) fn covers(operation: &Operation) -> bool {
    let dtypes = operation.operands.iter().map(|operand| match operand {
        Operand::Array { store, .. } => store.dtype,
        Operand::Scalar(scalar) => scalar.dtype(),
        Operand::Host(values) => values.dtype(),
    });
    dtypes.into_iter().all(DType::has_gpu_code)
        && (operation.body.role != Role::Compute
            || operation.body.is_elementwise()
            || operation.body.kernels.gpu().is_some())
}

/// Bytes of device memory that the work of a job needs for itself, aligned as any allocation is; it is not needed any
/// longer when the work has run, and may hold anything before.
pub(crate) fn scratch(job: &Job<'_>) -> usize {
    job.body.kernels.gpu().map_or(0, |gpu| gpu.scratch(job))
}

/// What a GPU has to do for a job, in order; nothing where the job has no elements.
///
/// `scratch` is the address of [`scratch`] bytes.
pub(crate) fn work(job: &Job<'_>, scratch: Address, gpu: &GpuInfo) -> SmallVec<[Work; 2]> {
    if let Some(chain) = Chain::of(job) {
        return elementwise::work(&chain, gpu).into_iter().collect();
    }
    let kernels = job.body.kernels.gpu();
    kernels.map_or_else(SmallVec::new, |kernels| kernels.work(job, scratch))
}

/// What does a chain; `None` where it has no elements.
pub(crate) fn chain(chain: &Chain, gpu: &GpuInfo) -> Option<Work> {
    elementwise::work(chain, gpu)
}
