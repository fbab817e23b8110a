//! How many floating-point operations an operation's task does, as docs/roofline.md counts them.

use weft_geometry::Cut;
use weft_trace::record::Arithmetic;

use super::{Operand, Operation};
use crate::dtype::{DType, Scalar};
use crate::shape::Shape;

/// What a task computes on: the parts of its operands that a tile has.
pub struct Computed<'a> {
    dtype: DType,
    elements: u64,
    part: &'a dyn Fn(usize) -> Option<Shape>,
    operand: &'a dyn Fn(usize) -> Option<(DType, Option<Scalar>)>,
}

impl<'a> Computed<'a> {
    /// A tile of so many elements of the operation's own shape, whose first operand has this dtype; the parts and dtypes of its operands, and
    /// their values where they are single ones.
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

    /// The dtype of the first operand.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// That of an operand.
    pub fn dtype_of(&self, operand: usize) -> Option<DType> {
        (self.operand)(operand).map(|(dtype, _)| dtype)
    }

    /// The value of an operand that is a single one.
    pub fn scalar(&self, operand: usize) -> Option<Scalar> {
        (self.operand)(operand)?.1
    }

    /// The shape of the part of an operand.
    pub fn part(&self, operand: usize) -> Option<Shape> {
        (self.part)(operand)
    }

    /// Elements of the part of an operand.
    pub fn size(&self, operand: usize) -> Option<u64> {
        self.part(operand).map(|shape| shape.len() as u64)
    }

    /// How many elements are joined with others: those of the first operand, less one for each result, which is the operand of this number.
    pub fn joined(&self, results: usize) -> Option<u64> {
        Some(self.size(0)?.saturating_sub(self.size(results)?))
    }

    /// No operations of floating-point numbers.
    pub fn nothing(&self) -> Option<Arithmetic> {
        self.operations(0)
    }

    /// So many for each element of the tile.
    pub fn each(&self, operations: u64) -> Option<Arithmetic> {
        self.operations(operations.saturating_mul(self.elements))
    }

    /// So many, of numbers of the first operand's dtype.
    pub fn operations(&self, operations: u64) -> Option<Arithmetic> {
        let single = matches!(self.dtype, DType::F16 | DType::F32 | DType::C64);
        Some(Arithmetic { operations, single })
    }
}

impl Operation {
    /// What its task on a tile computes; `None` where that is not known.
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
