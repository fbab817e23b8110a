//! Matrices taken apart: factorisations, and what is made by them.

use super::arithmetic;
use weft_geometry::{Access, Projection, Tiling};
use weft_trace::record::Arithmetic;

use crate::kernel::factor::{self, FactorOp};
use weft_core::error::{Cause, Defect};
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, Effort, Kernels};

/// Each matrix of a stack taken apart.
#[derive(Debug, Hash)]
struct Factor(FactorOp);

/// Each matrix of a stack of so many axes taken apart: [`inputs`, `outputs`] as `op` says. A matrix is about `work` elements' work. The
/// operation has the shape of the stack.
pub(crate) fn factor(op: FactorOp, stack: usize, work: u32, [inputs, outputs]: [usize; 2]) -> Body {
    let work = work as usize;
    let (projection, tiling) = match stack {
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
            times: work,
            over: 1,
        },
        ..Descriptor::new(op.name(), operands, Factor(op))
    }
    .tiled(tiling)
    .shared()
}

fn defect_of(found: factor::Defect) -> Defect {
    match found {
        factor::Defect::Singular => Defect::Singular,
        factor::Defect::NotPositiveDefinite => Defect::NotPositiveDefinite,
        // The only other one that there is.
        _ => Defect::NoConvergence,
    }
}

impl Kernels for Factor {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::factored(self.0, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let failed = match factor::factor(self.0, task.operands()) {
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
}
