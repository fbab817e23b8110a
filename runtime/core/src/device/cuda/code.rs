//! From operations to CUDA C: which kernel does it, with which arguments, on how many threads. Pure functions; nothing
//! here needs a GPU.
//!
//! A family of kernels has a [`Source`]: what the source of one of its kernels depends on. Chains of elementwise functions are fused here; the
//! other families are those of libraries.

pub mod c;
mod chain;
mod elementwise;
pub mod grid;
mod job;
mod kernel;
pub mod name;
pub mod nest;

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

pub(crate) use chain::Chain;
pub use job::{DeviceOperand, DeviceTile, Job};
pub use kernel::{Kernel, Source};

use super::api::GpuInfo;
use super::call::Call;
use super::factor::Factoring;
use super::work::{Address, Transform, Work};
use crate::dtype::DType;
use crate::operation::{Body, Fusion, Operand, Role};
pub(crate) use weft_elements::chain::{Step, StepKind, Value};

/// Whether GPUs have code for an operation.
pub(crate) fn covers(body: &Body, operands: &[Operand]) -> bool {
    match body.role {
        Role::Compute => match &body.fusion {
            Fusion::Step { kind, .. } => kind.has_cuda(),
            Fusion::Alone | Fusion::Fold(_) => {
                let dtypes: SmallVec<[DType; 8]> = operands.iter().map(Operand::dtype).collect();
                let gpu = body.kernels.gpu();
                gpu.is_some_and(|gpu| gpu.takes(&dtypes))
            }
        },
        Role::Copy | Role::Load | Role::Read | Role::Move { .. } => true,
        // MPI does them.
        Role::Send(_) | Role::Receive(_) | Role::Gather(_) => false,
    }
}

/// Bytes of device memory that the work of a job needs for itself, aligned as any allocation is; it is not needed any
/// longer when the work has run, and may hold anything before.
pub(crate) fn scratch(job: &Job<'_>) -> usize {
    job.body.kernels.gpu().map_or(0, |gpu| gpu.scratch(job))
}

/// The transforms in the work of a job, whose area is behind its scratch memory.
pub(crate) fn transform(job: &Job<'_>) -> Option<Transform> {
    job.body.kernels.gpu()?.transform(job)
}

/// What a GPU has to do for a job, in order; nothing where the job has no elements.
///
/// `scratch` is the address of [`scratch`] bytes.
pub(crate) fn work(job: &Job<'_>, scratch: Address, _gpu: &GpuInfo) -> SmallVec<[Work; 2]> {
    if let Some(chain) = Chain::of(job) {
        return elementwise::work(&chain).into_iter().collect();
    }
    let kernels = job.body.kernels.gpu();
    kernels.map_or_else(SmallVec::new, |kernels| kernels.work(job, scratch))
}

/// The routines of libraries among that work, one of each kind; addresses say nothing.
pub(crate) fn routines(job: &Job<'_>) -> SmallVec<[Factoring; 2]> {
    let kernels = job.body.kernels.gpu();
    kernels.map_or_else(SmallVec::new, |kernels| kernels.routines(job))
}

/// What is called behind that work.
pub(crate) fn call(job: &Job<'_>) -> Option<Arc<dyn Call>> {
    job.body.kernels.gpu()?.call(job)
}

/// What does a chain; `None` where it has no elements.
pub(crate) fn chain(chain: &Chain, _gpu: &GpuInfo) -> Option<Work> {
    elementwise::work(chain)
}

/// The work that copies elements from one place to another of the same shape, with casts if the dtypes differ; `None` if there are no elements.
pub fn copy(from: &DeviceTile, to: &DeviceTile) -> Option<Work> {
    let step = Step {
        kind: StepKind::COPY,
        inputs: smallvec![Value::Input(0)],
    };
    elementwise::work(&Chain {
        shape: to.layout.shape,
        inputs: smallvec![DeviceOperand::Tile(*from)],
        steps: smallvec![step],
        outputs: smallvec![(0, *to)],
    })
}

/// The kernel that does a chain, even where a copy or a fill would do.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn launch(chain: &Chain, _gpu: &GpuInfo) -> Option<super::work::Launch> {
    elementwise::launch(chain)
}
