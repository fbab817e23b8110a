//! Matrices and right sides, checked and brought to one dtype and one stack; and the operation made of them.

use smallvec::SmallVec;

use crate::dtype::{DType, Promotion};
use crate::kernel::factor::FactorOp;
use crate::library;
use crate::program::DynArray;
use crate::program::forward::broadcast;
use crate::program::forward::checked;
use crate::shape::Shape;
use weft_core::error::CallError;
use weft_core::operation::{Operand, Request};
use weft_core::site::Site;

/// What is wrong with an operand's shape.
pub(super) fn shape(operation: &'static str, why: String) -> CallError {
    CallError::Shape { operation, why }
}

/// A matrix, or a stack of them.
pub(super) struct Matrices {
    pub(super) array: DynArray,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Matrices {
    /// The array's last two axes as matrices, its elements as floats.
    pub(super) fn of(
        operation: &'static str,
        array: &DynArray,
        call: Site,
    ) -> Result<Matrices, CallError> {
        let dtype = array.dtype();
        let array = match dtype {
            DType::F32 | DType::F64 | DType::C64 | DType::C128 => array.clone(),
            _ if dtype.is_bool() || dtype.is_integer() => array.cast_by(DType::F64, call)?,
            _ => return Err(CallError::DType { operation, dtype }),
        };
        let [.., rows, columns] = *array.shape() else {
            let why = format!(
                "shape {:?} is not that of a matrix: it has fewer than two axes",
                array.shape()
            );
            return Err(shape(operation, why));
        };
        Ok(Matrices {
            array,
            rows,
            columns,
        })
    }

    /// The same where they are square.
    pub(super) fn square(
        operation: &'static str,
        array: &DynArray,
        call: Site,
    ) -> Result<Matrices, CallError> {
        let matrices = Matrices::of(operation, array, call)?;
        if matrices.rows != matrices.columns {
            let why = format!("shape {:?} is not that of a square matrix", array.shape());
            return Err(shape(operation, why));
        }
        Ok(matrices)
    }

    fn stack(&self) -> &[usize] {
        let dims = self.array.shape();
        &dims[..dims.len() - 2]
    }

    /// About how many elements' work it is to take one apart.
    fn work(&self) -> u32 {
        let work = self.rows.saturating_mul(self.columns);
        let work = work.saturating_mul(self.rows.min(self.columns).max(1));
        work.min(u32::MAX as usize) as u32
    }

    pub(super) fn short(&self) -> usize {
        self.rows.min(self.columns)
    }

    /// Runs `op` over the stack; each of `outs` is a dtype, and the shape of what is made of one matrix.
    pub(super) fn make<const N: usize>(
        &self,
        op: FactorOp,
        outs: [(DType, &[usize]); N],
        call: Site,
    ) -> Result<[DynArray; N], CallError> {
        self.make_with(op, None, self.stack(), outs, call)
    }

    /// The same with a second input, both broadcast to one stack; the flag says whether the second's last axis is a
    /// vector.
    pub(super) fn make_with<const N: usize>(
        &self,
        op: FactorOp,
        other: Option<(&DynArray, bool)>,
        stack: &[usize],
        outs: [(DType, &[usize]); N],
        call: Site,
    ) -> Result<[DynArray; N], CallError> {
        let mut operands: SmallVec<[Operand; 4]> = SmallVec::new();
        let mut input = |array: &DynArray, axes: usize| -> Result<(), CallError> {
            let dims = array.shape();
            let own = &dims[dims.len() - axes..];
            let to = checked(&[stack, own].concat())?;
            let layout = broadcast(op.name(), &array.layout, &to)?;
            operands.push(array.with_layout(layout).operand());
            Ok(())
        };
        input(&self.array, 2)?;
        if let Some((other, is_vector)) = other {
            input(other, if is_vector { 1 } else { 2 })?;
        }
        let core = &self.array.core;
        let mut made: SmallVec<[DynArray; N]> = SmallVec::new();
        for (dtype, dims) in outs {
            let dims = checked(&[stack, dims].concat())?;
            let out = DynArray::unwritten(core, dtype, dims, call)?;
            operands.push(out.operand());
            made.push(out);
        }
        let inputs = operands.len() - N;
        let body = library::factor::factor(op, stack.len(), self.work(), [inputs, N]);
        core.submit(Request::new(call, body, checked(stack)?, operands))?;
        made.into_inner()
            .map_err(|_| shape(op.name(), "it has another number of results".to_owned()))
    }
}

/// The right sides of equations.
pub(super) struct Sides {
    pub(super) array: DynArray,
    pub(super) is_vector: bool,
    /// The stack that the matrices and the right sides have together.
    pub(super) stack: Shape,
}

/// Matrices and right sides of one dtype, which have as many rows.
pub(super) fn equations(
    operation: &'static str,
    a: Matrices,
    b: &DynArray,
    call: Site,
) -> Result<(Matrices, Sides), CallError> {
    let is_vector = b.ndim() == 1;
    let b = match is_vector {
        true => b.with_layout(
            b.layout
                .insert_axis(1)
                .ok_or(CallError::Dimensions { dims: 2 })?,
        ),
        false => b.clone(),
    };
    let b = Matrices::of(operation, &b, call)?;
    if b.rows != a.rows {
        let why = format!(
            "{:?} and {:?} differ in the number of equations",
            a.array.shape(),
            b.array.shape()
        );
        return Err(shape(operation, why));
    }
    let stacks = [checked(a.stack())?, checked(b.stack())?];
    let stack = Shape::broadcast(stacks[0], stacks[1]).ok_or_else(|| CallError::Broadcast {
        operation,
        left: a.stack().to_vec(),
        right: b.stack().to_vec(),
    })?;
    let dtype = DType::promote(a.array.dtype(), b.array.dtype());
    let a = Matrices {
        array: a.array.cast_by(dtype, call)?,
        ..a
    };
    let mut array = b.array.cast_by(dtype, call)?;
    if is_vector {
        let vector = array.layout.index(1, 0);
        array = array.with_layout(vector.unwrap_or(array.layout));
    }
    let sides = Sides {
        array,
        is_vector,
        stack,
    };
    Ok((a, sides))
}

impl Sides {
    /// The shape of one solution of `rows` unknowns.
    pub(super) fn solution(&self, rows: usize) -> SmallVec<[usize; 2]> {
        let columns = self.array.shape().last().filter(|_| !self.is_vector);
        std::iter::once(rows).chain(columns.copied()).collect()
    }
}
