//! Diagonals and triangles of matrices.

use super::forward::checked;
use super::forward::wrong;
use super::typed::typed;
use super::{Array, DynArray, Summable, Value};
use crate::dtype::{DType, Element, Scalar};
use crate::kernel::{BinaryOp, ReduceOp};
use crate::lower::generate::Generator;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// For a matrix, a view of a diagonal; for a vector, a matrix with the vector on a diagonal and 0 elsewhere. The
    /// diagonal is the main one, or the `offset`-th above it.
    ///
    /// # Errors
    /// The array has neither one axis nor two.
    #[track_caller]
    pub fn diag(&self, offset: isize) -> Result<DynArray, CallError> {
        let call = Site::caller();
        match self.ndim() {
            1 => {
                let side = self.len().saturating_add(offset.unsigned_abs());
                let zero = Scalar::zero(self.dtype());
                let dims = [side, side];
                let out = DynArray::filled(&self.core, self.dtype(), &dims, zero, call)?;
                out.diagonal(offset)?.assign_by(&Value::from(self), call)?;
                Ok(out)
            }
            2 => self.diagonal(offset),
            dims => Err(wrong("diag", &format!("{dims} axes, neither one nor two"))),
        }
    }

    /// The sum of a diagonal of the first two axes: the main one, or the `offset`-th above it.
    ///
    /// # Errors
    /// There are fewer than two axes.
    #[track_caller]
    pub fn trace(&self, offset: isize) -> Result<DynArray, CallError> {
        let diagonal = self.diagonal(offset)?;
        let axis = (diagonal.ndim() > 1).then(|| diagonal.ndim() - 1);
        diagonal.reduce_by(ReduceOp::Sum, axis, Site::caller())
    }

    /// A copy with 0 below a diagonal of the last two axes: the main one, or the `diagonal`-th above it.
    ///
    /// # Errors
    /// There are fewer than two axes.
    #[track_caller]
    pub fn triu(&self, diagonal: isize) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let below = self.is_below(diagonal.saturating_sub(1), call)?;
        let zero = Value::Scalar(Scalar::zero(self.dtype()));
        DynArray::select_by(&below, &zero, &Value::from(self), call)
    }

    /// A copy with 0 above a diagonal of the last two axes: the main one, or the `diagonal`-th above it.
    ///
    /// # Errors
    /// There are fewer than two axes.
    #[track_caller]
    pub fn tril(&self, diagonal: isize) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let below = self.is_below(diagonal, call)?;
        let zero = Value::Scalar(Scalar::zero(self.dtype()));
        DynArray::select_by(&below, &Value::from(self), &zero, call)
    }

    /// Whether each element of the last two axes lies on or below a diagonal.
    fn is_below(&self, diagonal: isize, call: Site) -> Result<DynArray, CallError> {
        let [.., rows, columns] = *self.shape() else {
            let dims = self.ndim();
            return Err(CallError::Axis { axis: 1, dims });
        };
        let count = |start: isize, length: usize| {
            let generator = Generator::Arange {
                start: Scalar::I64(start as i64),
                step: Scalar::I64(1),
            };
            DynArray::generated(&self.core, DType::I64, &[length], generator, call)
        };
        // Beyond the corners nothing changes any more, and counts stay in range.
        let diagonal = diagonal.clamp(-(rows as isize) - 1, columns as isize);
        let rows = count(diagonal, rows)?.with_axis(1)?;
        rows.with(BinaryOp::GreaterEqual, &count(0, columns)?, call)
    }

    /// Writes a value to the main diagonal of a matrix.
    ///
    /// # Errors
    /// The array has not two axes, or is a broadcast view.
    #[track_caller]
    pub fn fill_diagonal(&self, value: impl Into<Value>) -> Result<(), CallError> {
        if self.ndim() != 2 {
            return Err(wrong(
                "fill_diagonal",
                &format!("{} axes, not two", self.ndim()),
            ));
        }
        self.diagonal(0)?.assign_by(&value.into(), Site::caller())
    }

    /// All products of an element of this array and one of the other, both in row-major order, as a matrix.
    ///
    /// # Errors
    /// The product is not defined for the dtypes.
    #[track_caller]
    pub fn outer(&self, other: &DynArray) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let column = self.flattened(call)?.with_axis(1)?;
        column.with(BinaryOp::Mul, &other.flattened(call)?, call)
    }

    /// The Kronecker product.
    ///
    /// # Errors
    /// There are too many axes, or the product is not defined for the dtypes.
    #[track_caller]
    pub fn kron(&self, other: &DynArray) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let dims = self.ndim().max(other.ndim());
        let grow = |array: &DynArray| {
            (array.ndim()..dims).try_fold(array.clone(), |array, _| array.with_axis(0))
        };
        let (mut left, mut right) = (grow(self)?, grow(other)?);
        let sides = left.shape().iter().zip(right.shape());
        let shape: Vec<usize> = sides.map(|(left, right)| left * right).collect();
        for axis in 0..dims {
            left = left.with_axis(2 * axis + 1)?;
            right = right.with_axis(2 * axis)?;
        }
        let product = left.with(BinaryOp::Mul, &right, call)?;
        product
            .viewed(checked(&shape)?.dims(), call)
            .map(|(product, _)| product)
    }
}

typed! { Element:
    /// For a matrix, a view of a diagonal; for a vector, a matrix with the vector on a diagonal and 0 elsewhere. The
    /// diagonal is the main one, or the `offset`-th above it.
    diag(offset: isize) = diag(offset) -> T;
    /// A copy with 0 below a diagonal of the last two axes: the main one, or the `diagonal`-th above it.
    triu(diagonal: isize) = triu(diagonal) -> T;
    /// A copy with 0 above a diagonal of the last two axes: the main one, or the `diagonal`-th above it.
    tril(diagonal: isize) = tril(diagonal) -> T;
    /// All products of an element of this array and one of the other, both in row-major order, as a matrix.
    outer(other: &Array<T>) = outer(other.as_dyn()) -> T;
    /// The Kronecker product.
    kron(other: &Array<T>) = kron(other.as_dyn()) -> T;
}

typed! { Summable:
    /// The sum of a diagonal of the first two axes: the main one, or the `offset`-th above it.
    trace(offset: isize) = trace(offset) -> T::Sum;
}

impl<T: Element> Array<T> {
    /// Writes a value to the main diagonal of a matrix.
    ///
    /// # Panics
    /// At the caller's line if the array has not two axes or is a broadcast view.
    #[track_caller]
    pub fn fill_diagonal(&self, value: T) {
        at_call(self.as_dyn().fill_diagonal(value.to_scalar()));
    }
}
