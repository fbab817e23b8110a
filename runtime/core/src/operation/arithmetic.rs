//! The number of floating-point operations of a task, as counted by docs/roofline.md.

use weft_geometry::Cut;
use weft_trace::record::Arithmetic;

use super::{Operand, Operation};
use crate::dtype::{DType, Scalar};
use crate::shape::Shape;

/// The parts of an operation's operands in one tile, from which its arithmetic is computed.
pub struct Computed<'a> {
    dtype: DType,
    elements: u64,
    part: &'a dyn Fn(usize) -> Option<Shape>,
    operand: &'a dyn Fn(usize) -> Option<(DType, Option<Scalar>)>,
}

impl<'a> Computed<'a> {
    /// Describes a tile with this number of elements of the operation's own shape, whose first
    /// operand has this dtype. `part` returns the shape of an operand's part. `operand` returns the
    /// dtype of an operand, and its value if it is a scalar.
    pub fn new(
        dtype: DType,
        elements: u64,
        part: &'a dyn Fn(usize) -> Option<Shape>,
        operand: &'a dyn Fn(usize) -> Option<(DType, Option<Scalar>)>,
    ) -> Computed<'a> {
        Computed {
            dtype,
            elements,
            part,
            operand,
        }
    }

    /// Returns the dtype of the first operand.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the dtype of an operand.
    pub fn dtype_of(&self, operand: usize) -> Option<DType> {
        (self.operand)(operand).map(|(dtype, _)| dtype)
    }

    /// Returns the value of a scalar operand.
    pub fn scalar(&self, operand: usize) -> Option<Scalar> {
        (self.operand)(operand)?.1
    }

    /// Returns the shape of the part of an operand.
    pub fn part(&self, operand: usize) -> Option<Shape> {
        (self.part)(operand)
    }

    /// Returns the number of elements in the part of an operand.
    pub fn size(&self, operand: usize) -> Option<u64> {
        self.part(operand).map(|shape| shape.len() as u64)
    }

    /// Returns the number of elements combined with others in a reduction: those of the first
    /// operand, less one for each result. `results` is the operand of results.
    pub fn joined(&self, results: usize) -> Option<u64> {
        Some(self.size(0)?.saturating_sub(self.size(results)?))
    }

    /// Returns an arithmetic without floating-point operations.
    pub fn nothing(&self) -> Option<Arithmetic> {
        self.operations(0)
    }

    /// Returns `operations` operations for each element of the tile.
    pub fn each(&self, operations: u64) -> Option<Arithmetic> {
        self.operations(operations.saturating_mul(self.elements))
    }

    /// Returns `operations` operations in total, on numbers of the first operand's dtype.
    pub fn operations(&self, operations: u64) -> Option<Arithmetic> {
        let single = matches!(self.dtype, DType::F16 | DType::F32 | DType::C64);
        Some(Arithmetic { operations, single })
    }
}

impl Operation {
    /// Returns the arithmetic of its task on a tile; `None` if unknown.
    pub(crate) fn arithmetic(&self, cut: &Cut) -> Option<Arithmetic> {
        let part = |at: usize| self.part(at, cut).map(|part| part.shape);
        let operand = |at: usize| match self.operands.get(at)? {
            Operand::Array { store, .. } => Some((store.dtype, None)),
            Operand::Scalar(value) => Some((value.dtype(), Some(*value))),
            Operand::Host(values) => Some((values.dtype(), None)),
        };
        let elements = self.part_shape(cut).len() as u64;
        let of = Computed::new(self.dtype(), elements, &part, &operand);
        self.body.kernels.arithmetic(&of)
    }
}
