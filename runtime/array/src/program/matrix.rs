//! Diagonals and triangles of matrices.

use super::typed::typed;
use super::{Array, DynArray, Summable, Value};
use crate::dtype::Element;
use crate::lower::wrong;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns a view of a diagonal of a matrix, or a matrix with this vector on a diagonal and 0
    /// elsewhere. The diagonal is the main one, or the `offset`-th above it.
    ///
    /// # Errors
    /// Returns an error if the array has neither one axis nor two.
    #[track_caller]
    pub fn diag(&self, offset: isize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let made = match self.ndim() {
            1 => self.view.on_diagonal(offset)?,
            2 => self.view.diagonal(offset)?,
            dims => return Err(wrong("diag", &format!("{dims} axes, neither one nor two"))),
        };
        Ok(made.into())
    }

    /// Returns the sum of a diagonal of the first two axes: the main one, or the `offset`-th above
    /// it.
    ///
    /// # Errors
    /// Returns an error if there are fewer than two axes.
    #[track_caller]
    pub fn trace(&self, offset: isize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.trace(offset)?.into())
    }

    /// Returns a copy with 0 below a diagonal of the last two axes: the main one, or the
    /// `diagonal`-th above it.
    ///
    /// # Errors
    /// Returns an error if there are fewer than two axes.
    #[track_caller]
    pub fn triu(&self, diagonal: isize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.triu(diagonal)?.into())
    }

    /// Returns a copy with 0 above a diagonal of the last two axes: the main one, or the
    /// `diagonal`-th above it.
    ///
    /// # Errors
    /// Returns an error if there are fewer than two axes.
    #[track_caller]
    pub fn tril(&self, diagonal: isize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.tril(diagonal)?.into())
    }

    /// Writes a value to the main diagonal of a matrix.
    ///
    /// # Errors
    /// Returns an error if the array does not have two axes, or is a broadcast view.
    #[track_caller]
    pub fn fill_diagonal(&self, value: impl Into<Value>) -> Result<(), CallError> {
        let _call = Site::enter_caller();
        if self.ndim() != 2 {
            let why = format!("{} axes, not two", self.ndim());
            return Err(wrong("fill_diagonal", &why));
        }
        let diagonal = self.view.diagonal(0)?;
        diagonal.assign(&value.into())
    }

    /// Returns all products of an element of this array and one of the other, both in row-major
    /// order, as a matrix.
    ///
    /// # Errors
    /// Returns an error if the product is not defined for the dtypes.
    #[track_caller]
    pub fn outer(&self, other: &DynArray) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.outer(&other.view)?.into())
    }

    /// Returns the Kronecker product.
    ///
    /// # Errors
    /// Returns an error if there are too many axes, or the product is not defined for the dtypes.
    #[track_caller]
    pub fn kron(&self, other: &DynArray) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.kron(&other.view)?.into())
    }
}

typed! { Element:
    /// Returns a view of a diagonal of a matrix, or a matrix with this vector on a diagonal and 0
    /// elsewhere. The diagonal is the main one, or the `offset`-th above it.
    diag(offset: isize) = diag(offset) -> T;
    /// Returns a copy with 0 below a diagonal of the last two axes: the main one, or the
    /// `diagonal`-th above it.
    triu(diagonal: isize) = triu(diagonal) -> T;
    /// Returns a copy with 0 above a diagonal of the last two axes: the main one, or the
    /// `diagonal`-th above it.
    tril(diagonal: isize) = tril(diagonal) -> T;
    /// Returns all products of an element of this array and one of the other, both in row-major
    /// order, as a matrix.
    outer(other: &Array<T>) = outer(other.as_dyn()) -> T;
    /// Returns the Kronecker product.
    kron(other: &Array<T>) = kron(other.as_dyn()) -> T;
}

typed! { Summable:
    /// Returns the sum of a diagonal of the first two axes: the main one, or the `offset`-th above
    /// it.
    trace(offset: isize) = trace(offset) -> T::Sum;
}

impl<T: Element> Array<T> {
    /// Writes a value to the main diagonal of a matrix.
    ///
    /// # Panics
    /// Panics at the caller's line if the array does not have two axes, or is a broadcast view.
    #[track_caller]
    pub fn fill_diagonal(&self, value: T) {
        at_call(self.as_dyn().fill_diagonal(value.to_scalar()));
    }
}
