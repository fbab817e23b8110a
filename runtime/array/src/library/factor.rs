//! Factorizations of matrices, and their uses.

use super::arithmetic::COMPLEX;
use super::linear::AT_ONCE;
use weft_geometry::{Access, Projection, Tiling};
use weft_trace::record::Arithmetic;

use crate::cuda::factor as gpu;
use crate::kernel::factor::{self, FactorOp};
use crate::shape::Shape;
use smallvec::SmallVec;
use weft_core::cuda::{Address, Factoring, Job, Need, Work};
use weft_core::error::{Cause, Defect};
use weft_core::operation::{
    Body, Computed, CpuTask, Declared, Descriptor, Effort, GpuKernels, Kernels,
};

/// An operation on each matrix of a stack.
#[derive(Debug, Hash)]
struct Factor {
    op: FactorOp,
    stack: Shape,
}

/// The matrices of an operation and their right sides.
pub(crate) struct Sizes {
    /// The rows and columns of a matrix.
    pub(crate) matrix: [usize; 2],
    /// The number of columns of the other operand.
    pub(crate) sides: usize,
}

/// Returns an operation on each matrix of a stack; `op` lists its operands, [`inputs`, `outputs`]
/// in number. The operation has the shape of the stack.
pub(crate) fn factor(
    op: FactorOp,
    stack: Shape,
    Sizes {
        matrix: [rows, columns],
        sides,
    }: Sizes,
    [inputs, outputs]: [usize; 2],
) -> Body {
    // Roughly the work of a matrix, in elements.
    let work = rows
        .saturating_mul(columns)
        .saturating_mul(rows.min(columns).max(1))
        .min(u32::MAX as usize);
    let multiplications = operations(op, rows as f64, columns as f64, sides as f64) / 2;
    let (projection, tiling) = match stack.rank() {
        0 => (Projection::Whole, Tiling::Whole),
        _ => (Projection::Same, Tiling::Processors { work }),
    };
    let declared = |access| Declared {
        access,
        ..Declared::read(projection.clone())
    };
    let mut operands = vec![declared(Access::Read); inputs];
    operands.extend(vec![declared(Access::Write); outputs]);
    Descriptor {
        effort: Effort {
            times: usize::try_from(multiplications)
                .unwrap_or(usize::MAX)
                .max(1),
            over: AT_ONCE,
        },
        ..Descriptor::new(op.name(), operands, Factor { op, stack })
    }
    .tiled(tiling)
    .shared()
}

fn defect_of(found: factor::Defect) -> Defect {
    match found {
        factor::Defect::Singular => Defect::Singular,
        factor::Defect::NotPositiveDefinite => Defect::NotPositiveDefinite,
        // The only other defect.
        _ => Defect::NoConvergence,
    }
}

impl Kernels for Factor {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        factored(self.op, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let failed = match factor::factor(self.op, task.operands()) {
            Ok(()) => return Ok(()),
            Err(failed) => failed,
        };
        let (at, defect) = failed;
        let (stack, first) = (task.part_shape(), task.first());
        let index = stack.unravel(at);
        let index = (0..stack.rank()).map(|axis| first[axis] + index[axis]);
        Err(Cause::Matrix {
            index: index.collect(),
            defect: defect_of(defect),
        })
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl GpuKernels for Factor {
    fn scratch(&self, job: &Job<'_>) -> usize {
        gpu::Plan::outline(self.op, job).scratch
    }

    fn work(&self, job: &Job<'_>, scratch: Address) -> SmallVec<[Work; 2]> {
        gpu::Plan::new(self.op, job, scratch).work
    }

    fn routines(&self, job: &Job<'_>) -> SmallVec<[Factoring; 2]> {
        gpu::Plan::outline(self.op, job).routines()
    }

    fn need(&self) -> Option<Need> {
        Some(match self.op {
            FactorOp::Eig | FactorOp::EigVals => Need::Eigenvalues,
            _ => Need::Factors,
        })
    }

    fn finds_faults(&self) -> bool {
        // Every matrix has a result of these operations.
        !matches!(self.op, FactorOp::Det | FactorOp::SlogDet | FactorOp::Qr)
    }

    fn cause(&self, [matrix, defect]: [u64; 2]) -> Cause {
        let index = self.stack.unravel(matrix as usize);
        Cause::Matrix {
            index: index[..self.stack.rank()].to_vec(),
            defect: defect_of(gpu::defect(defect)),
        }
    }
}

fn factored(op: FactorOp, of: &Computed<'_>) -> Option<Arithmetic> {
    let shape = of.part(0)?;
    let [.., rows, columns] = *shape.dims() else {
        return None;
    };
    let stack = shape.len() as u64 / (rows * columns).max(1) as u64;
    let sides = match (op, of.part(1)) {
        (FactorOp::Solve { vector: true } | FactorOp::LstSq { vector: true, .. }, _) => 1,
        (_, Some(shape)) => shape.dims().last().copied().unwrap_or(1),
        (_, None) => 1,
    };
    let one = operations(op, rows as f64, columns as f64, sides as f64);
    let real = if of.dtype().is_complex() { COMPLEX } else { 1 };
    of.operations(stack.saturating_mul(one).saturating_mul(real))
}

/// Returns the operations on one real matrix of `m` rows and `n` columns, to the highest order, by
/// textbook figures.
fn operations(op: FactorOp, m: f64, n: f64, sides: f64) -> u64 {
    // Both orders of rows and columns cost the same.
    let (long, short) = (m.max(n), m.min(n));
    let svd = 14.0 * long * short * short + 8.0 * short.powi(3);
    let count = match op {
        FactorOp::Solve { .. } => 2.0 / 3.0 * n.powi(3) + 2.0 * n * n * sides,
        FactorOp::Inv => 2.0 * n.powi(3),
        FactorOp::Det | FactorOp::SlogDet => 2.0 / 3.0 * n.powi(3),
        FactorOp::Cholesky => n.powi(3) / 3.0,
        FactorOp::Qr if m >= n => 4.0 * (m * n * n - n.powi(3) / 3.0),
        FactorOp::Qr => 2.0 * m * m * (n - m / 3.0) + 4.0 / 3.0 * m.powi(3),
        FactorOp::Svd => svd,
        FactorOp::SvdVals => 4.0 * (long * short * short - short.powi(3) / 3.0),
        FactorOp::Eigh => 9.0 * n.powi(3),
        FactorOp::EigValsh => 4.0 / 3.0 * n.powi(3),
        FactorOp::Eig => 25.0 * n.powi(3),
        FactorOp::EigVals => 10.0 * n.powi(3),
        FactorOp::LstSq { .. } => svd + 2.0 * short * (m + n) * sides,
    };
    count.round() as u64
}
