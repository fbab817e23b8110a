//! Fourier transforms of lines.

use weft_geometry::{Access, Projection, Tiling};
use weft_trace::record::Arithmetic;

use crate::cuda::fourier::Transforms;
use crate::dtype::{DType, Parameter};
use crate::kernel::fourier::{self, FourierOp};
use smallvec::SmallVec;
use weft_core::cuda::{Address, Job, Need, Transform, Work};
use weft_core::error::Cause;
use weft_core::operation::{
    Body, Computed, CpuTask, Declared, Descriptor, Effort, GpuKernels, Kernels,
};

/// A transform of each line along an axis.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Fourier {
    /// The kind of transform.
    pub(crate) op: FourierOp,
    /// The axis along which lines run.
    pub(crate) axis: u8,
    /// The number of elements of a line.
    pub(crate) length: usize,
    /// The factor of the results.
    pub(crate) scale: Parameter,
}

/// Returns the transform of each line along an axis [input, out].
pub(crate) fn fourier(transform: Fourier) -> Body {
    let Fourier {
        op, axis, length, ..
    } = transform;
    // Lines are not cut, and may have another length than their spectra.
    let declared = |access| Declared {
        access,
        ..Declared::read(Projection::except(axis))
    };
    let stages = usize::BITS - length.leading_zeros();
    Descriptor {
        effort: Effort {
            times: stages as usize,
            over: 2,
        },
        ..Descriptor::new(
            op.name(),
            vec![declared(Access::Read), declared(Access::Write)],
            transform,
        )
    }
    .tiled(Tiling::Across { axis })
    .shared()
}

impl Kernels for Fourier {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        transformed(self, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, out] = task.expect();
        let (axis, scale) = (usize::from(self.axis), self.scale.0);
        fourier::fourier(self.op, axis, self.length, scale, input, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl GpuKernels for Fourier {
    fn scratch(&self, job: &Job<'_>) -> usize {
        Transforms::from_job(self, job).map_or(0, |plan| plan.scratch())
    }

    fn work(&self, job: &Job<'_>, scratch: Address) -> SmallVec<[Work; 2]> {
        let plan = Transforms::from_job(self, job);
        plan.map_or_else(SmallVec::new, |plan| plan.work(scratch))
    }

    fn transform(&self, job: &Job<'_>) -> Option<Transform> {
        Some(Transforms::from_job(self, job)?.transform())
    }

    fn need(&self) -> Option<Need> {
        Some(Need::Transforms)
    }

    fn takes(&self, dtypes: &[DType]) -> bool {
        let is_known = |dtype: &DType| matches!(dtype.real(), DType::F32 | DType::F64);
        dtypes.iter().all(is_known)
    }
}

fn transformed(transform: &Fourier, of: &Computed<'_>) -> Option<Arithmetic> {
    let Fourier { op, length, .. } = *transform;
    let lines = of.size(1)? / op.results(length).max(1) as u64;
    of.operations(lines.saturating_mul(operations(op, length)))
}

/// Returns the operations of one line, by the usual figure for all algorithms.
fn operations(op: FourierOp, length: usize) -> u64 {
    let length = length as f64;
    let each = match op {
        FourierOp::Forward | FourierOp::Inverse => 5.0,
        _ => 2.5,
    };
    // The conversion saturates.
    (each * length * length.log2()).round() as u64
}
