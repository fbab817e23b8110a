//! Indexing with one integer array.
//!
//! Negative indices count from the end. Bounds are checked when the operation runs: an index out of bounds is a
//! failure of the operation, with [`Cause::Index`](weft_core::error::Cause::Index).

use std::sync::Arc;

use smallvec::smallvec;
use weft_geometry::Region;

use super::forward::broadcast;
use super::forward::checked;
use super::{Array, DynArray, IntoValue, Value};
use crate::dtype::{DType, Element, Integer};
use crate::library;
use crate::shape::{Layout, Shape};
use weft_core::error::{CallError, Error, at_call};
use weft_core::operation::Request;
use weft_core::site::Site;

/// Integers that can be indices: those whose values an `i64` holds.
pub trait IndexInteger: Integer {}

impl IndexInteger for i8 {}
impl IndexInteger for i16 {}
impl IndexInteger for i32 {}
impl IndexInteger for i64 {}
impl IndexInteger for u8 {}
impl IndexInteger for u16 {}
impl IndexInteger for u32 {}

impl DynArray {
    /// The elements at these indices along an axis, or without an axis in row-major order: NumPy's `take`. The axes of
    /// the indices replace the axis.
    ///
    /// # Errors
    /// The axis is out of bounds, the indices are not integers that an `i64` holds, or there are indices and no
    /// elements.
    #[track_caller]
    pub fn take(&self, indices: &DynArray, axis: Option<usize>) -> Result<DynArray, CallError> {
        self.take_by(indices, axis, Site::caller())
    }

    fn take_by(
        &self,
        indices: &DynArray,
        axis: Option<usize>,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let Some(axis) = axis else {
            return self.flattened(call)?.take_by(indices, Some(0), call);
        };
        let list = self.index_list("take", indices, axis, call)?;
        let dims = self.shape();
        let shape = [&dims[..axis], indices.shape(), &dims[axis + 1..]].concat();
        let shape = checked(&shape)?;
        // To the kernel indices are a vector.
        let listed = [&dims[..axis], list.shape(), &dims[axis + 1..]].concat();
        let out = DynArray::unwritten(&self.core, self.dtype(), checked(&listed)?, call)?;
        let operands = smallvec![self.operand(), list.operand(), out.operand(),];
        let body = library::index::take(axis as u8);
        let request = Request::new(call, body, out.layout.shape, operands);
        self.core.submit(request)?;
        Ok(out.with_layout(Layout::contiguous(shape)))
    }

    /// Writes values to the elements at these indices along an axis: `x[.., indices, ..] = values`. For equal indices,
    /// the last value counts. The values are cast to this array's dtype and broadcast to its shape, with the axes of
    /// the indices in place of the axis. Without an axis all elements in row-major order are meant, which must be
    /// evenly spaced in memory, and values are broadcast to the shape of the indices.
    ///
    /// # Errors
    /// The axis is out of bounds, the indices are not integers that an `i64` holds, there are indices and no elements,
    /// the shapes do not match, or this is a broadcast view.
    #[track_caller]
    pub fn put(
        &self,
        indices: &DynArray,
        axis: Option<usize>,
        values: impl Into<Value>,
    ) -> Result<(), CallError> {
        self.put_by(indices, axis, &values.into(), Site::caller())
    }

    pub(super) fn put_by(
        &self,
        indices: &DynArray,
        axis: Option<usize>,
        values: &Value,
        call: Site,
    ) -> Result<(), CallError> {
        let Some(axis) = axis else {
            let flat = self.layout.reshape(checked(&[self.len()])?);
            let flat = flat.ok_or_else(|| {
                wrong(
                    "put",
                    "the elements are not evenly spaced in memory; name an axis",
                )
            })?;
            return self
                .with_layout(flat)
                .put_by(indices, Some(0), values, call);
        };
        if self.has_repeated_elements() {
            let why = "cannot write into a broadcast view; copy it first";
            return Err(wrong("put", why));
        }
        let list = self.index_list("put", indices, axis, call)?;
        let dims = self.shape();
        let shape = checked(&[&dims[..axis], indices.shape(), &dims[axis + 1..]].concat())?;
        let listed = checked(&[&dims[..axis], list.shape(), &dims[axis + 1..]].concat())?;
        let values = match values.cast_by(self.dtype(), call)? {
            Value::Array(array) => {
                let stretched = array.with_layout(broadcast("put", &array.layout, &shape)?);
                Value::Array(self.untouched(stretched.listed(listed, call)?, call)?)
            }
            scalar => scalar,
        };
        let list = self.untouched(list, call)?;
        let operands = smallvec![
            values.operand("put", &listed)?,
            list.operand(),
            self.operand(),
        ];
        let body = library::index::put(axis as u8);
        self.core
            .submit(Request::new(call, body, listed, operands))?;
        Ok(())
    }

    /// Indices along an axis as a vector of `i64`.
    fn index_list(
        &self,
        operation: &'static str,
        indices: &DynArray,
        axis: usize,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let dtype = indices.dtype();
        // Not all of `u64` fit the type of indices.
        if !dtype.is_integer() || dtype == DType::U64 {
            return Err(CallError::DType { operation, dtype });
        }
        match self.shape().get(axis) {
            None => {
                return Err(CallError::Axis {
                    axis,
                    dims: self.ndim(),
                });
            }
            Some(0) if !indices.is_empty() => {
                return Err(wrong(operation, "indices into an empty axis"));
            }
            Some(_) => {}
        }
        indices.cast_by(DType::I64, call)?.flattened(call)
    }

    /// The elements with another shape of the same size: a view if possible, otherwise a copy.
    fn listed(&self, shape: Shape, call: Site) -> Result<DynArray, CallError> {
        if let Some(layout) = self.layout.reshape(shape) {
            return Ok(self.with_layout(layout));
        }
        let copy = self.copied(call)?;
        Ok(copy.with_layout(Layout::contiguous(shape)))
    }

    /// The array itself, or a copy where it shares elements with this one, which is about to be written.
    fn untouched(&self, array: DynArray, call: Site) -> Result<DynArray, CallError> {
        let region = |array: &DynArray| Region::of(&array.layout, &array.store.shape);
        let overlap = Arc::ptr_eq(&self.store, &array.store)
            && matches!((region(self), region(&array)), (Some(own), Some(other)) if own.overlaps(&other));
        if overlap {
            array.copied(call)
        } else {
            Ok(array)
        }
    }
}

pub(super) fn wrong(operation: &'static str, why: &str) -> CallError {
    let why = why.to_owned();
    CallError::Shape { operation, why }
}

impl<T: Element> Array<T> {
    /// The elements at these row-major indices, in the shape of the indices: NumPy's `take`.
    ///
    /// # Panics
    /// At the caller's line if there are indices and no elements.
    #[track_caller]
    #[must_use]
    pub fn take<I: IndexInteger>(&self, indices: &Array<I>) -> Array<T> {
        at_call(self.try_take(indices, None))
    }

    /// The elements at these indices along one axis, which is replaced by the axes of the indices: NumPy's `take`.
    ///
    /// # Panics
    /// At the caller's line if the axis is out of bounds, or there are indices and no elements.
    #[track_caller]
    #[must_use]
    pub fn take_axis<I: IndexInteger>(&self, indices: &Array<I>, axis: usize) -> Array<T> {
        at_call(self.try_take(indices, Some(axis)))
    }

    /// Like [`take`](Self::take) or [`take_axis`](Self::take_axis), but returns errors.
    ///
    /// # Errors
    /// The axis is out of bounds, or there are indices and no elements.
    #[track_caller]
    pub fn try_take<I: IndexInteger>(
        &self,
        indices: &Array<I>,
        axis: Option<usize>,
    ) -> Result<Array<T>, Error> {
        let call = Site::caller();
        let taken = self.as_dyn().take_by(indices.as_dyn(), axis, call)?;
        Ok(Array::wrap(taken))
    }

    /// Writes values, broadcast to the shape of the indices, to the elements at these row-major indices. For equal
    /// indices, the last value counts.
    ///
    /// # Panics
    /// At the caller's line if the shapes do not match, there are indices and no elements, this is a broadcast view,
    /// or the elements are not evenly spaced in memory.
    #[track_caller]
    pub fn put<I: IndexInteger>(&self, indices: &Array<I>, values: impl IntoValue<T>) {
        at_call(self.try_put(indices, None, values));
    }

    /// Writes values to the elements at these indices along one axis: `x[.., indices, ..] = values`. The values are
    /// broadcast to this array's shape with the axes of the indices in place of the axis. For equal indices, the last
    /// value counts.
    ///
    /// # Panics
    /// At the caller's line if the axis is out of bounds, the shapes do not match, there are indices and no elements,
    /// or this is a broadcast view.
    #[track_caller]
    pub fn put_axis<I: IndexInteger>(
        &self,
        indices: &Array<I>,
        axis: usize,
        values: impl IntoValue<T>,
    ) {
        at_call(self.try_put(indices, Some(axis), values));
    }

    /// Like [`put`](Self::put) or [`put_axis`](Self::put_axis), but returns errors.
    ///
    /// # Errors
    /// The axis is out of bounds, the shapes do not match, there are indices and no elements, this is a broadcast
    /// view, or without an axis the elements are not evenly spaced in memory.
    #[track_caller]
    pub fn try_put<I: IndexInteger>(
        &self,
        indices: &Array<I>,
        axis: Option<usize>,
        values: impl IntoValue<T>,
    ) -> Result<(), Error> {
        let (values, call) = (values.into_value(), Site::caller());
        Ok(self
            .as_dyn()
            .put_by(indices.as_dyn(), axis, &values, call)?)
    }
}
