//! Mapping of operations to CUDA C: kernels, arguments and numbers of threads. All functions are
//! pure, and none needs a GPU.
//!
//! A family of kernels has a [`Source`]: the properties that the source of one of its kernels
//! depends on. Chains of elementwise functions are fused here; the other families belong to
//! libraries.

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

pub use chain::{Chain, FoldedChain};
pub use elementwise::ChainFunction;
pub use job::{DeviceOperand, DeviceTile, Job};
pub use kernel::{Kernel, Source};

use super::call::Call;
use super::factor::Factoring;
use super::work::{Address, Transform, Work};
use crate::dtype::DType;
use crate::operation::{Body, Fusion, Operand, Role};
use crate::shape::Shape;
pub(crate) use weft_elements::chain::{Step, StepKind, Value};

/// Returns whether GPUs have code for an operation.
pub(crate) fn covers(body: &Body, operands: &[Operand]) -> bool {
    match body.role {
        Role::Compute => match &body.fusion {
            Fusion::Step { kind, .. } => kind.has_cuda(),
            Fusion::Alone | Fusion::Fold(_) | Fusion::FoldLines(_) => {
                let dtypes: SmallVec<[DType; 8]> = operands.iter().map(Operand::dtype).collect();
                let gpu = body.kernels.gpu();
                gpu.is_some_and(|gpu| gpu.takes(&dtypes))
            }
        },
        Role::Copy | Role::Load | Role::Read | Role::Move { .. } => true,
        // MPI runs these.
        Role::Send(_) | Role::Receive(_) | Role::Gather(_) => false,
    }
}

/// Returns the number of bytes of device memory that the work of a job needs for itself, aligned
/// like any allocation. The memory may have any contents before, and is free when the work has run.
pub(crate) fn scratch(job: &Job<'_>) -> usize {
    job.body.kernels.gpu().map_or(0, |gpu| gpu.scratch(job))
}

/// Returns the transforms in the work of a job, whose work area follows its scratch memory.
pub(crate) fn transform(job: &Job<'_>) -> Option<Transform> {
    job.body.kernels.gpu()?.transform(job)
}

/// Returns the work of a job for a GPU, in order; none if the job has no elements.
///
/// `scratch` is the address of [`scratch`] bytes.
pub(crate) fn work(job: &Job<'_>, scratch: Address) -> SmallVec<[Work; 2]> {
    if let Some(chain) = Chain::from_job(job) {
        return elementwise::work(&chain).into_iter().collect();
    }
    let kernels = job.body.kernels.gpu();
    kernels.map_or_else(SmallVec::new, |kernels| kernels.work(job, scratch))
}

/// Returns the library routines in that work, one of each kind, without meaningful addresses.
pub(crate) fn routines(job: &Job<'_>) -> SmallVec<[Factoring; 2]> {
    let kernels = job.body.kernels.gpu();
    kernels.map_or_else(SmallVec::new, |kernels| kernels.routines(job))
}

/// Returns the function to call after that work.
pub(crate) fn call(job: &Job<'_>) -> Option<Arc<dyn Call>> {
    job.body.kernels.gpu()?.call(job)
}

/// Returns the work of a chain; `None` if it has no elements.
pub(crate) fn chain(chain: &Chain) -> Option<Work> {
    elementwise::work(chain)
}

/// Returns the work that copies elements between two tiles of the same shape, with casts if the
/// dtypes differ; `None` if there are no elements.
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

/// Returns the kernel of a chain whose results an operation of this body reduces; `None` if it has
/// no elements. `scratch` is the address of [`fold_scratch`] bytes.
pub(crate) fn folded(body: &Body, folded: &FoldedChain, scratch: Address) -> Option<Work> {
    let kernels = body.kernels.gpu()?.fold()?;
    (!folded.chain.shape.is_empty()).then(|| kernels.work(folded, scratch))
}

/// Returns the number of bytes of device memory that the reduction of values of this dtype and
/// shape to `out` needs for itself.
pub(crate) fn fold_scratch(body: &Body, dtype: DType, shape: Shape, out: &DeviceTile) -> usize {
    let kernels = body.kernels.gpu().and_then(|gpu| gpu.fold());
    kernels.map_or(0, |fold| fold.scratch(dtype, shape, out))
}

/// Returns the kernel of a chain, even if a copy or a fill would do.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn launch(chain: &Chain) -> Option<super::work::Launch> {
    elementwise::launch(chain)
}
