//! Functions of the elements at one index.

use super::arithmetic;
use std::sync::LazyLock;
use weft_trace::record::Arithmetic;

use crate::dtype::DType;
use crate::kernel::chain::StepKind;
use crate::kernel::elementwise::{self, functions};
use crate::kernel::{BinaryOp, UnaryOp};
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, Kernels};

/// A function of one element.
#[derive(Debug, Hash)]
struct Unary(UnaryOp);

impl Kernels for Unary {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::unary(self.0, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, out] = task.expect();
        elementwise::unary(self.0, input, out);
        Ok(())
    }
}

/// Returns a function of one element [input, out].
#[inline]
pub(crate) fn unary(op: UnaryOp) -> Body {
    static ALL: LazyLock<Vec<Descriptor<Unary>>> = LazyLock::new(|| {
        let all = UnaryOp::ALL.iter().map(|&op| {
            let operands = vec![Declared::READ, Declared::WRITE];
            Descriptor::new(op.name(), operands, Unary(op)).step(op)
        });
        all.collect()
    });
    ALL[op as usize].wrap_static()
}

/// A function of two elements.
#[derive(Debug, Hash)]
struct Binary(BinaryOp);

impl Kernels for Binary {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::binary(self.0, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [left, right, out] = task.expect();
        elementwise::binary(self.0, left, right, out);
        Ok(())
    }
}

/// Returns a function of two elements [left, right, out].
#[inline]
pub(crate) fn binary(op: BinaryOp) -> Body {
    static ALL: LazyLock<Vec<Descriptor<Binary>>> = LazyLock::new(|| {
        let all = BinaryOp::ALL.iter().map(|&op| {
            let operands = vec![Declared::READ, Declared::READ, Declared::WRITE];
            Descriptor::new(op.name(), operands, Binary(op)).step(op)
        });
        all.collect()
    });
    ALL[op as usize].wrap_static()
}

/// The selection between two elements.
#[derive(Debug, Hash)]
struct Select;

impl Kernels for Select {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [condition, left, right, out] = task.expect();
        elementwise::select(condition, left, right, out);
        Ok(())
    }
}

/// Returns the selection between two elements by a condition [condition, left, right, out].
pub(crate) fn select() -> Body {
    static SELECT: LazyLock<Descriptor<Select>> = LazyLock::new(|| {
        let mut operands = vec![Declared::READ; 3];
        operands.push(Declared::WRITE);
        Descriptor::new("where", operands, Select).step(functions::select())
    });
    SELECT.wrap_static()
}

/// Replaces elements where a mask is set.
#[derive(Debug, Hash)]
struct PutMask;

impl Kernels for PutMask {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [mask, values, out] = task.expect();
        elementwise::putmask(mask, values, out);
        Ok(())
    }
}

/// Replaces elements where a mask is set [mask, values, out].
pub(crate) fn putmask() -> Body {
    static PUT_MASK: LazyLock<Descriptor<PutMask>> = LazyLock::new(|| {
        let operands = vec![Declared::READ, Declared::READ, Declared::UPDATE];
        Descriptor::new("putmask", operands, PutMask).step(functions::select())
    });
    PUT_MASK.wrap_static()
}

/// Converts elements to another dtype.
#[derive(Debug, Hash)]
struct Cast(DType);

impl Kernels for Cast {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, out] = task.expect();
        elementwise::cast(input, out);
        Ok(())
    }
}

/// Converts elements to another dtype, that of the output [input, out].
pub(crate) fn cast(to: DType) -> Body {
    static ALL: LazyLock<Vec<Descriptor<Cast>>> = LazyLock::new(|| {
        let all = DType::ALL.iter().map(|&to| {
            let operands = vec![Declared::READ, Declared::WRITE];
            Descriptor::new("cast", operands, Cast(to)).step(functions::cast(to))
        });
        all.collect()
    });
    ALL[to as usize].wrap_static()
}

/// Sets all elements to one value.
#[derive(Debug, Hash)]
struct Fill;

impl Kernels for Fill {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [value, out] = task.expect();
        elementwise::fill_from(value, out);
        Ok(())
    }
}

/// Sets all elements to one value [value, out].
pub(crate) fn fill() -> Body {
    static FILL: LazyLock<Descriptor<Fill>> = LazyLock::new(|| {
        let operands = vec![Declared::READ, Declared::WRITE];
        Descriptor::new("fill", operands, Fill).step(StepKind::COPY)
    });
    FILL.wrap_static()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_own_descriptor() {
        for &op in UnaryOp::ALL {
            assert_eq!(unary(op).name, op.name());
        }
        for &op in BinaryOp::ALL {
            assert_eq!(binary(op).name, op.name());
        }
        for &dtype in &DType::ALL {
            assert!(matches!(
                &cast(dtype).fusion,
                weft_core::operation::Fusion::Step { kind, .. } if *kind == functions::cast(dtype).into()
            ));
        }
    }
}
