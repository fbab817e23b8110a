//! Matrices and right sides, checked and brought to one dtype and one stack, and the operation on
//! them.

use smallvec::SmallVec;

use crate::dtype::{DType, Promotion};
use crate::kernel::factor::FactorOp;
use crate::library;
use crate::lower::{Input, View, broadcast, checked, wrong};
use crate::shape::Shape;
use weft_core::error::CallError;
use weft_core::operation::{Operand, Request};

/// A matrix, or a stack of them.
pub(super) struct Matrices {
    pub(super) view: View,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Matrices {
    /// Takes the array's last two axes as matrices, and its elements as floats.
    pub(super) fn from_view(operation: &'static str, view: &View) -> Result<Matrices, CallError> {
        let dtype = view.dtype();
        let view = match dtype {
            DType::F32 | DType::F64 | DType::C64 | DType::C128 => view.clone(),
            _ if dtype.is_bool() || dtype.is_integer() => view.cast(DType::F64)?,
            _ => return Err(CallError::DType { operation, dtype }),
        };
        let [.., rows, columns] = *view.dims() else {
            let why = format!(
                "shape {:?} is not that of a matrix: it has fewer than two axes",
                view.dims()
            );
            return Err(wrong(operation, &why));
        };
        Ok(Matrices {
            view,
            rows,
            columns,
        })
    }

    /// Takes the array's last two axes as square matrices, and its elements as floats.
    pub(super) fn square(operation: &'static str, view: &View) -> Result<Matrices, CallError> {
        let matrices = Matrices::from_view(operation, view)?;
        if matrices.rows != matrices.columns {
            let why = format!("shape {:?} is not that of a square matrix", view.dims());
            return Err(wrong(operation, &why));
        }
        Ok(matrices)
    }

    fn stack(&self) -> &[usize] {
        let dims = self.view.dims();
        &dims[..dims.len() - 2]
    }

    pub(super) fn short(&self) -> usize {
        self.rows.min(self.columns)
    }

    /// Runs `op` over the stack. Each of `outs` is the dtype and the shape of a result for one
    /// matrix.
    pub(super) fn make<const N: usize>(
        &self,
        op: FactorOp,
        outs: [(DType, &[usize]); N],
    ) -> Result<[View; N], CallError> {
        self.make_with(op, None, self.stack(), outs)
    }

    /// Runs `op` over the stack with a second input, both broadcast to one stack. The flag is
    /// whether the second input's last axis is a vector.
    pub(super) fn make_with<const N: usize>(
        &self,
        op: FactorOp,
        other: Option<(&View, bool)>,
        stack: &[usize],
        outs: [(DType, &[usize]); N],
    ) -> Result<[View; N], CallError> {
        let mut views: SmallVec<[View; 2]> = SmallVec::new();
        let mut input = |view: &View, axes: usize| -> Result<(), CallError> {
            let dims = view.dims();
            let own = &dims[dims.len() - axes..];
            let to = checked(&[stack, own].concat())?;
            let layout = broadcast(op.name(), &view.layout, &to)?;
            views.push(view.with_layout(layout));
            Ok(())
        };
        input(&self.view, 2)?;
        if let Some((other, is_vector)) = other {
            input(other, if is_vector { 1 } else { 2 })?;
        }
        let core = &self.view.core;
        let mut made: SmallVec<[View; N]> = SmallVec::new();
        for (dtype, dims) in outs {
            let dims = checked(&[stack, dims].concat())?;
            made.push(View::unwritten(core, dtype, dims)?);
        }
        let shape = checked(stack)?;
        let sizes = library::factor::Sizes {
            matrix: [self.rows, self.columns],
            sides: match other {
                Some((other, false)) => other.dims().last().copied().unwrap_or(1),
                _ => 1,
            },
        };
        let body = library::factor::factor(op, shape, sizes, [views.len(), N]);
        let inputs: SmallVec<[Input<'_>; 2]> = views.iter().map(Input::View).collect();
        // An operation reports matrices without a result.
        let is_done = match made.as_slice() {
            [out] => out.fill_at_once(&body, &shape, &inputs),
            _ => false,
        };
        if !is_done {
            let all = views.iter().chain(&made);
            let operands: SmallVec<[Operand; 4]> = all.map(|view| view.operand()).collect();
            core.submit(Request::new(body, shape, operands))?;
        }
        made.into_inner()
            .map_err(|_| wrong(op.name(), "it has another number of results"))
    }
}

/// The right sides of equations.
pub(super) struct Sides {
    pub(super) view: View,
    pub(super) is_vector: bool,
    /// The common stack of the matrices and the right sides.
    pub(super) stack: Shape,
}

/// Returns matrices and right sides of one dtype, with the same number of rows.
pub(super) fn equations(
    operation: &'static str,
    a: Matrices,
    b: &View,
) -> Result<(Matrices, Sides), CallError> {
    let is_vector = b.ndim() == 1;
    let b = match is_vector {
        true => b.with_axis(1)?,
        false => b.clone(),
    };
    let b = Matrices::from_view(operation, &b)?;
    if b.rows != a.rows {
        let why = format!(
            "{:?} and {:?} differ in the number of equations",
            a.view.dims(),
            b.view.dims()
        );
        return Err(wrong(operation, &why));
    }
    let stacks = [checked(a.stack())?, checked(b.stack())?];
    let stack = Shape::broadcast(stacks[0], stacks[1]).ok_or_else(|| CallError::Broadcast {
        operation,
        left: a.stack().to_vec(),
        right: b.stack().to_vec(),
    })?;
    let dtype = DType::promote(a.view.dtype(), b.view.dtype());
    let a = Matrices {
        view: a.view.cast(dtype)?,
        ..a
    };
    let mut view = b.view.cast(dtype)?;
    if is_vector {
        view = view.position(1, 0);
    }
    let sides = Sides {
        view,
        is_vector,
        stack,
    };
    Ok((a, sides))
}

impl Sides {
    /// Returns the shape of one solution of `rows` unknowns.
    pub(super) fn solution(&self, rows: usize) -> SmallVec<[usize; 2]> {
        let columns = self.view.dims().last().filter(|_| !self.is_vector);
        std::iter::once(rows).chain(columns.copied()).collect()
    }
}
