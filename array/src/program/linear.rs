//! Products of vectors and matrices.

use smallvec::smallvec;

use super::forward::checked;
use super::{Array, DynArray};
use crate::dtype::{DType, Element, Number, Promotion};
use crate::library;
use crate::shape::Shape;
use weft_core::error::{CallError, Error, at_call};
use weft_core::operation::Request;
use weft_core::site::Site;

impl DynArray {
    /// The product of vectors and matrices, by their numbers of axes: vector and vector to one value, matrix and
    /// vector or vector and matrix to a vector, matrix and matrix to a matrix. With more axes, the last two are
    /// matrices and the others are broadcast.
    ///
    /// # Errors
    /// The shapes do not match, an array has no axes, or the dtype is `bool`.
    #[track_caller]
    pub fn matmul(&self, other: &DynArray) -> Result<DynArray, CallError> {
        self.product("matmul", other, Site::caller())
    }

    pub(crate) fn product(
        &self,
        operation: &'static str,
        other: &DynArray,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let dims = [self.ndim(), other.ndim()];
        match operation {
            "matmul" if dims.iter().any(|dims| *dims > 2) => {
                return self.matmul_of_many(other, call);
            }
            "dot" if dims.iter().any(|dims| *dims == 0 || *dims > 2) => {
                return self.dot_of_many(other, call);
            }
            _ => {}
        }
        let dtype = DType::promote(self.dtype(), other.dtype());
        if dtype.is_bool() {
            return Err(CallError::DType { operation, dtype });
        }
        if dtype == DType::F16 {
            // Added up in `f32`, and rounded once.
            let [left, right] = [self, other].map(|array| array.cast_by(DType::F32, call));
            return left?
                .product(operation, &right?, call)?
                .cast_by(dtype, call);
        }
        let cast = |array: &DynArray| match array.dtype() == dtype {
            true => Ok(None),
            false => array.cast_by(dtype, call).map(Some),
        };
        let (left, right) = (cast(self)?, cast(other)?);
        let (left, right) = (
            left.as_ref().unwrap_or(self),
            right.as_ref().unwrap_or(other),
        );
        let mismatch = || CallError::Shape {
            operation,
            why: format!(
                "shapes {:?} and {:?} do not match",
                self.shape(),
                other.shape()
            ),
        };
        let (shape, inner) = match (left.shape(), right.shape()) {
            ([n], [m]) if n == m => (Shape::SCALAR, *n),
            ([r, n], [m]) if n == m => (checked(&[*r])?, *n),
            ([n], [m, c]) if n == m => (checked(&[*c])?, *n),
            ([r, n], [m, c]) if n == m => (checked(&[*r, *c])?, *n),
            _ => return Err(mismatch()),
        };
        if inner == 0 {
            let zero = crate::dtype::Scalar::zero(dtype);
            return DynArray::filled(&self.core, dtype, shape.dims(), zero, call);
        }
        if left.makes_symmetric(right) {
            return left.symmetric_product(right, call);
        }
        let unwritten = || DynArray::unwritten(&self.core, dtype, shape, call);
        let columns;
        let (body, left, right) = match (left.ndim(), right.ndim()) {
            (1, 1) => {
                let (inputs, out) = ([left, right], unwritten()?);
                left.reduce_all(
                    library::linear::dot(),
                    library::linear::combine_dot(),
                    &inputs,
                    &out,
                    call,
                )?;
                return Ok(out);
            }
            (2, 1) => (library::linear::matvec(inner), left, right),
            (1, 2) => {
                columns = right.with_layout(right.layout.transpose());
                (library::linear::matvec(inner), &columns, left)
            }
            _ => (library::linear::matmul(inner), left, right),
        };
        if let Some(made) = DynArray::product_at_once(&body, left, right, shape, call) {
            return Ok(made);
        }
        let out = unwritten()?;
        let operands = smallvec![left.operand(), right.operand(), out.operand(),];
        self.core
            .submit(Request::new(call, body, shape, operands))?;
        Ok(out)
    }
}

impl<T: Number> Array<T> {
    /// The product of vectors and matrices; of more axes, over the last axis of this array and the last but one of the
    /// other: NumPy's `dot`.
    ///
    /// # Panics
    /// At the caller's line if the inner lengths differ.
    #[track_caller]
    #[must_use]
    pub fn dot(&self, other: &Array<T>) -> Array<T> {
        at_call(self.try_dot(other))
    }

    /// Like [`dot`](Self::dot), but returns errors.
    ///
    /// # Errors
    /// The inner lengths differ.
    #[track_caller]
    pub fn try_dot(&self, other: &Array<T>) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().product(
            "dot",
            other.as_dyn(),
            Site::caller(),
        )?))
    }

    /// The product of matrices, or of a matrix and a vector; of more axes, of the matrices of the last two: NumPy's
    /// `matmul`.
    ///
    /// # Panics
    /// At the caller's line if the shapes do not match.
    #[track_caller]
    #[must_use]
    pub fn matmul(&self, other: &Array<T>) -> Array<T> {
        at_call(self.try_matmul(other))
    }

    /// Like [`matmul`](Self::matmul), but returns errors.
    ///
    /// # Errors
    /// The inner lengths differ.
    #[track_caller]
    pub fn try_matmul(&self, other: &Array<T>) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().product(
            "matmul",
            other.as_dyn(),
            Site::caller(),
        )?))
    }
}

impl<T: Element> Array<T> {
    /// A view with the axes in reverse order.
    #[must_use]
    pub fn t(&self) -> Array<T> {
        let array = self.as_dyn();
        Array::wrap(array.with_layout(array.layout.transpose()))
    }
}
