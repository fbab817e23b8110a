//! Products of vectors and matrices.

use super::arithmetic;
use std::sync::LazyLock;
use weft_trace::record::Arithmetic;

use weft_geometry::{Projection, Tiling};

use weft_core::cuda::Job;

use crate::cuda::{Plan, Planned, planned};
use crate::kernel::linear;
use weft_core::error::Cause;
use weft_core::operation::{
    Body, Computed, CpuTask, Declared, Descriptor, Effort, GpuKernels, Kernels,
};

/// The product of two vectors.
#[derive(Debug, Hash)]
struct Dot;

/// Returns the product of two vectors, as one value for each tile [left, right, partials].
pub(crate) fn dot() -> Body {
    static DOT: LazyLock<Descriptor<Dot>> = LazyLock::new(|| {
        let operands = vec![
            Declared::READ,
            Declared::READ,
            Declared::write(Projection::of_tiles(true)),
        ];
        Descriptor::new("dot", operands, Dot).tiled(Tiling::Shape { work: 1 })
    });
    DOT.wrap_static()
}

impl Kernels for Dot {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::products(0, 1, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [left, right, out] = task.expect();
        linear::dot(left, right, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Dot {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::dot(job)
    }
}

/// Combines the values of tiles.
#[derive(Debug, Hash)]
struct CombineDot;

/// Combines the values of tiles to one [partials, out].
pub(crate) fn combine_dot() -> Body {
    let operands = vec![
        Declared::read(Projection::Whole),
        Declared::write(Projection::Whole),
    ];
    Descriptor {
        kernel: "sum",
        ..Descriptor::new("combine", operands, CombineDot)
    }
    .tiled(Tiling::Whole)
    .shared()
}

impl Kernels for CombineDot {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::reduced(crate::kernel::ReduceOp::Sum, 1, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [partials, out] = task.expect();
        linear::combine_dot(partials, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for CombineDot {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::combine_dot(job)
    }
}

/// Matrix times vector.
#[derive(Debug, Hash)]
struct MatVec {
    inner: usize,
}

/// Matrix times a vector of this length [matrix, vector, out].
pub(crate) fn matvec(inner: usize) -> Body {
    let operands = vec![
        Declared::READ,
        Declared::read(Projection::Whole),
        Declared::WRITE,
    ];
    Descriptor::new("matvec", operands, MatVec { inner })
        .tiled(Tiling::Processors { work: inner })
        .shared()
}

impl Kernels for MatVec {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::products(2, self.inner as u64, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [matrix, vector, out] = task.expect();
        linear::matvec(matrix, vector, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for MatVec {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::matvec(job)
    }
}

/// Matrices times vectors.
#[derive(Debug, Hash)]
struct MatVecs {
    inner: usize,
}

/// Each matrix of a stack times a vector of this length [matrices, vectors, out]. The stack's axis
/// is the first of each operand.
pub(crate) fn matvecs(inner: usize) -> Body {
    let operands = vec![
        Declared::read(Projection::except(2)),
        Declared::read(Projection::except(1)),
        Declared::WRITE,
    ];
    Descriptor {
        kernel: "matvec",
        ..Descriptor::new("matvec", operands, MatVecs { inner })
    }
    .tiled(Tiling::Axes {
        axes: 0b11,
        work: work(inner),
        by_shape: false,
    })
    .shared()
}

impl Kernels for MatVecs {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::products(2, self.inner as u64, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [matrices, vectors, out] = task.expect();
        linear::matvecs(matrices, vectors, out);
        Ok(())
    }
}

/// Returns the number of terms of an element as a tiling holds it.
fn work(inner: usize) -> u32 {
    u32::try_from(inner).unwrap_or(u32::MAX)
}

/// The number of multiplications that a processor does in the time of touching an element.
pub(super) const AT_ONCE: usize = 8;

/// Matrix times matrix.
#[derive(Debug, Hash)]
struct MatMul {
    inner: usize,
}

/// Matrix times matrix, where the left one has `inner` columns [left, right, out].
pub(crate) fn matmul(inner: usize) -> Body {
    let operands = vec![
        Declared::read(Projection::except(1)),
        Declared::read(Projection::except(0)),
        Declared::WRITE,
    ];
    Descriptor {
        effort: Effort {
            times: inner,
            over: AT_ONCE,
        },
        ..Descriptor::new("matmul", operands, MatMul { inner })
    }
    .tiled(Tiling::Product { inner })
    .shared()
}

impl Kernels for MatMul {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::products(2, self.inner as u64, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [left, right, out] = task.expect();
        linear::matmul(left, right, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for MatMul {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::matmul(job)
    }
}

/// Matrices times matrices.
#[derive(Debug, Hash)]
struct MatMuls {
    inner: usize,
}

/// Each matrix of a stack times one of another stack, where the left ones have `inner` columns
/// [left, right, out]. The stacks' axis is the first of each operand.
pub(crate) fn matmuls(inner: usize) -> Body {
    let operands = vec![
        Declared::read(Projection::except(2)),
        Declared::read(Projection::except(1)),
        Declared::WRITE,
    ];
    Descriptor {
        kernel: "matmul",
        effort: Effort {
            times: inner,
            over: AT_ONCE,
        },
        ..Descriptor::new("matmul", operands, MatMuls { inner })
    }
    .tiled(Tiling::Axes {
        axes: 1,
        work: work(inner),
        by_shape: false,
    })
    .shared()
}

impl Kernels for MatMuls {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::products(2, self.inner as u64, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [left, right, out] = task.expect();
        linear::matmuls(left, right, out);
        Ok(())
    }
}

/// Combines products of parts of the terms.
#[derive(Debug, Hash)]
struct CombineParts;

/// Combines the products of parts, which are along the first axis [partials, out].
pub(crate) fn combine_parts(parts: usize) -> Body {
    let operands = vec![Declared::read(Projection::beside(0)), Declared::WRITE];
    Descriptor {
        kernel: "sum",
        ..Descriptor::new("combine", operands, CombineParts)
    }
    .tiled(Tiling::Processors { work: parts })
    .shared()
}

impl Kernels for CombineParts {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::reduced(crate::kernel::ReduceOp::Sum, 1, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [partials, out] = task.expect();
        linear::combine_parts(partials, out);
        Ok(())
    }
}

planned! { Dot, CombineDot, MatVec, MatMul }
