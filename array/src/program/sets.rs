//! Set operations on arrays, and indexing line by line.

use super::forward::checked;
use super::forward::wrong;
use super::typed::typed;
use super::{Array, DynArray, IndexInteger, IntoValue, Side, Value};
use crate::dtype::{DType, Element, Promotion, Scalar};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::lower::generate::Generator;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Whether each element is one of `values`: NumPy's `isin`. NaN is not in any set.
    ///
    /// # Errors
    /// The runtime has finished.
    #[track_caller]
    pub fn isin(&self, values: &DynArray) -> Result<DynArray, CallError> {
        let call = Site::caller();
        if values.is_empty() {
            let none = Scalar::Bool(false);
            return DynArray::filled(&self.core, DType::Bool, self.shape(), none, call);
        }
        let dtype = DType::promote(self.dtype(), values.dtype());
        let elements = self.cast_by(dtype, call)?;
        let sorted = values
            .cast_by(dtype, call)?
            .flattened(call)?
            .sort_by(0, call)?;
        let places = sorted.searchsorted(&elements, Side::Left)?;
        let last = Value::Scalar(Scalar::I64(sorted.len() as i64 - 1));
        let nearest = sorted.take(&places.with(BinaryOp::Minimum, last, call)?, Some(0))?;
        elements.with(BinaryOp::Equal, &nearest, call)
    }

    /// The sorted union of both arrays' values. Waits for their number.
    ///
    /// # Errors
    /// An operation that the arrays depend on failed.
    #[track_caller]
    pub fn union1d(&self, other: &DynArray) -> Result<DynArray, Error> {
        let call = Site::caller();
        let dtype = DType::promote(self.dtype(), other.dtype());
        let vector = |array: &DynArray| array.cast_by(dtype, call)?.flattened(call);
        DynArray::concatenate(&[vector(self)?, vector(other)?], 0)?.unique()
    }

    /// The sorted intersection of both arrays' values. Waits for their number.
    ///
    /// # Errors
    /// An operation that the arrays depend on failed.
    #[track_caller]
    pub fn intersect1d(&self, other: &DynArray) -> Result<DynArray, Error> {
        let own = self.unique()?;
        own.take_where(&own.isin(other)?)
    }

    /// The sorted values of this array that are not in the other. Waits for their number.
    ///
    /// # Errors
    /// An operation that the arrays depend on failed.
    #[track_caller]
    pub fn setdiff1d(&self, other: &DynArray) -> Result<DynArray, Error> {
        let own = self.unique()?;
        let is_other = own.isin(other)?;
        own.take_where(&is_other.unary_by(UnaryOp::LogicalNot, Site::caller())?)
    }

    /// The sorted values that are in exactly one of both arrays. Waits for their number.
    ///
    /// # Errors
    /// An operation that the arrays depend on failed.
    #[track_caller]
    pub fn setxor1d(&self, other: &DynArray) -> Result<DynArray, Error> {
        self.setdiff1d(other)?.union1d(&other.setdiff1d(self)?)
    }

    /// For each line along an axis, the elements at the indices in the corresponding line, such as those of `argsort`.
    /// The other axes are broadcast.
    ///
    /// # Errors
    /// The axis is out of bounds, the numbers of axes differ, the shapes do not match, or the indices are not
    /// integers.
    #[track_caller]
    pub fn take_along_axis(&self, indices: &DynArray, axis: usize) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let all = self.along("take_along_axis", indices, axis, call)?;
        let all: Vec<(usize, &DynArray)> = all.iter().enumerate().collect();
        self.take_at(&all)
    }

    /// For each line along an axis, writes values to the elements at the indices in the corresponding line. The values
    /// are broadcast to the shape of the indices.
    ///
    /// # Errors
    /// As [`take_along_axis`](Self::take_along_axis); or the values do not fit, or this is a broadcast view.
    #[track_caller]
    pub fn put_along_axis(
        &self,
        indices: &DynArray,
        axis: usize,
        values: impl Into<Value>,
    ) -> Result<(), CallError> {
        let call = Site::caller();
        let all = self.along("put_along_axis", indices, axis, call)?;
        let all: Vec<(usize, &DynArray)> = all.iter().enumerate().collect();
        self.put_at(&all, values)
    }

    /// Indices along every axis: those given along one, and each position along the others.
    fn along(
        &self,
        operation: &'static str,
        indices: &DynArray,
        axis: usize,
        call: Site,
    ) -> Result<Vec<DynArray>, CallError> {
        self.check_axis(axis)?;
        if indices.ndim() != self.ndim() {
            let why = format!(
                "indices of {} axes for {} axes",
                indices.ndim(),
                self.ndim()
            );
            return Err(wrong(operation, &why));
        }
        let mut all = Vec::with_capacity(self.ndim());
        for (at, length) in self.shape().iter().enumerate() {
            if at == axis {
                all.push(indices.clone());
                continue;
            }
            let generator = Generator::Arange {
                start: Scalar::I64(0),
                step: Scalar::I64(1),
            };
            let line = DynArray::generated(&self.core, DType::I64, &[*length], generator, call)?;
            let mut dims = vec![1; self.ndim()];
            dims[at] = *length;
            all.push(line.viewed(checked(&dims)?.dims(), call)?.0);
        }
        Ok(all)
    }
}

typed! { Element:
    /// Whether each element is one of `values`: NumPy's `isin`.
    isin(values: &Array<T>) = isin(values.as_dyn()) -> bool;
    /// The sorted union of both arrays' values. Waits for their number.
    union1d(other: &Array<T>) = union1d(other.as_dyn()) -> T;
    /// The sorted intersection of both arrays' values. Waits for their number.
    intersect1d(other: &Array<T>) = intersect1d(other.as_dyn()) -> T;
    /// The sorted values of this array that are not in the other. Waits for their number.
    setdiff1d(other: &Array<T>) = setdiff1d(other.as_dyn()) -> T;
    /// The sorted values that are in exactly one of both arrays. Waits for their number.
    setxor1d(other: &Array<T>) = setxor1d(other.as_dyn()) -> T;
}

impl<T: Element> Array<T> {
    /// For each line along an axis, the elements that a line of indices names: what `argsort` gives is applied by this.
    ///
    /// # Panics
    /// At the caller's line if [`DynArray::take_along_axis`] returns an error.
    #[track_caller]
    #[must_use]
    pub fn take_along_axis<I: IndexInteger>(&self, indices: &Array<I>, axis: usize) -> Array<T> {
        let taken = self.as_dyn().take_along_axis(indices.as_dyn(), axis);
        Array::wrap(at_call(taken))
    }

    /// For each line along an axis, writes values to the elements at the indices in the corresponding line.
    ///
    /// # Panics
    /// At the caller's line if [`DynArray::put_along_axis`] returns an error.
    #[track_caller]
    pub fn put_along_axis<I: IndexInteger>(
        &self,
        indices: &Array<I>,
        axis: usize,
        values: impl IntoValue<T>,
    ) {
        let values = values.into_value();
        at_call(self.as_dyn().put_along_axis(indices.as_dyn(), axis, values));
    }
}
