//! Indexing with several integer arrays: `x[i, j]`.
//!
//! As in NumPy, the index arrays are broadcast to one shape, which replaces the indexed axes in the result: at the
//! position of the first one if they are adjacent, otherwise in front. Slice first to combine them with slices.

use super::forward::broadcast;
use super::forward::checked;
use super::forward::wrong;
use super::{Array, DynArray, IndexInteger, IntoValue, Value};
use crate::dtype::{DType, Element, Scalar};
use crate::library;
use crate::shape::Shape;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

/// How the elements that indices pick are found.
struct Picks {
    /// For each axis of the array with the picked ones in front: its number.
    order: Vec<usize>,
    /// Lengths of the picked axes together and of the others, in that order.
    rows: Vec<usize>,
    /// Row-major numbers along the picked axes.
    numbers: DynArray,
    /// Where the axes of the indices stand in the result.
    place: usize,
}

impl DynArray {
    /// The elements selected by index arrays, one per axis: `x[i, j]`, NumPy's integer-array indexing.
    ///
    /// # Errors
    /// There are no indices, one is not an integer array, an axis is named twice or is out of bounds, or the indices
    /// do not broadcast together.
    #[track_caller]
    pub fn take_at(&self, indices: &[(usize, &DynArray)]) -> Result<DynArray, CallError> {
        let call = Site::caller();
        if let [(axis, index)] = indices {
            return self.take(index, Some(*axis));
        }
        let picks = self.picks("take_at", indices, call)?;
        let rows = self.permute(&picks.order)?.viewed(&picks.rows, call)?.0;
        let taken = rows.take(&picks.numbers, Some(0))?;
        taken.permute(&picks.to_place(&taken))
    }

    /// Writes values to the elements selected by index arrays, one per axis: `x[i, j] = values`. The values are cast
    /// and broadcast to what [`take_at`](Self::take_at) would give. If an element is selected more than once, the last
    /// value counts.
    ///
    /// # Errors
    /// As [`take_at`](Self::take_at); or the values do not fit, or this is a broadcast view.
    #[track_caller]
    pub fn put_at(
        &self,
        indices: &[(usize, &DynArray)],
        values: impl Into<Value>,
    ) -> Result<(), CallError> {
        self.put_at_by(indices, &values.into(), Site::caller())
    }

    fn put_at_by(
        &self,
        indices: &[(usize, &DynArray)],
        values: &Value,
        call: Site,
    ) -> Result<(), CallError> {
        let operation = "put_at";
        if self.has_repeated_elements() {
            let why = "cannot write into a broadcast view; copy it first";
            return Err(wrong(operation, why));
        }
        let picks = self.picks(operation, indices, call)?;
        let moved = self.permute(&picks.order)?;
        let dims = [picks.numbers.shape(), &picks.rows[1..]].concat();
        // The shape of the result has the axes of the indices in their place; the kernel wants them in front.
        let values = match values {
            Value::Array(array) => {
                let to_place = picks.to_place_of(dims.len());
                let placed: Vec<usize> = to_place.iter().map(|axis| dims[*axis]).collect();
                let shape = checked(&placed)?;
                let full = array.with_layout(broadcast(operation, &array.layout, &shape)?);
                let mut to_front = vec![0; dims.len()];
                for (place, axis) in to_place.iter().enumerate() {
                    to_front[*axis] = place;
                }
                Value::Array(full.permute(&to_front)?)
            }
            scalar => scalar.clone(),
        };
        let (rows, is_view) = moved.viewed(&picks.rows, call)?;
        rows.put_by(&picks.numbers, Some(0), &values, call)?;
        if !is_view {
            // No layout joins the picked axes: the written copy goes back as a whole.
            let written = rows.viewed(moved.shape(), call)?.0;
            moved.assign_by(&Value::Array(written), call)?;
        }
        Ok(())
    }

    fn picks(
        &self,
        operation: &'static str,
        indices: &[(usize, &DynArray)],
        call: Site,
    ) -> Result<Picks, CallError> {
        let mut order: Vec<usize> = Vec::with_capacity(self.ndim());
        let mut shape = Shape::SCALAR;
        for (axis, index) in indices {
            if order.contains(&self.check_axis(*axis)?) {
                let why = format!("axis {axis} is indexed twice");
                return Err(wrong(operation, &why));
            }
            order.push(*axis);
            let dtype = index.dtype();
            if !dtype.is_integer() || dtype == DType::U64 {
                return Err(CallError::DType { operation, dtype });
            }
            let both = Shape::broadcast(shape, index.layout.shape);
            shape = both.ok_or_else(|| CallError::Broadcast {
                operation,
                left: shape.dims().to_vec(),
                right: index.shape().to_vec(),
            })?;
        }
        let (Some(low), Some(high)) = (order.iter().min(), order.iter().max()) else {
            return Err(wrong(operation, "no indices"));
        };
        // Neighbours keep their place.
        let place = if high - low + 1 == order.len() {
            *low
        } else {
            0
        };
        let others = (0..self.ndim()).filter(|axis| !order.contains(axis));
        let others: Vec<usize> = others.collect();
        let dims = self.shape();
        let along: usize = order.iter().map(|axis| dims[*axis]).product();
        if along == 0 && !shape.is_empty() {
            return Err(wrong(operation, "indices into an empty axis"));
        }
        let mut rows = vec![along];
        rows.extend(others.iter().map(|axis| dims[*axis]));
        let mut so_far = Value::Scalar(Scalar::I64(0));
        let mut numbers = None;
        for (axis, index) in indices {
            let index = index.cast_by(DType::I64, call)?;
            let next = DynArray::unwritten(&self.core, DType::I64, shape, call)?;
            let length = dims[*axis];
            let body = library::count::ravel(length);
            next.write(body, &[&so_far, &Value::Array(index)], call)?;
            so_far = Value::from(&next);
            numbers = Some(next);
        }
        order.extend(others);
        Ok(Picks {
            order,
            rows,
            numbers: numbers.ok_or_else(|| wrong(operation, "no indices"))?,
            place,
        })
    }
}

impl Picks {
    /// The order of axes that brings those of the indices from the front to their place.
    fn to_place(&self, taken: &DynArray) -> Vec<usize> {
        self.to_place_of(taken.ndim())
    }

    fn to_place_of(&self, dims: usize) -> Vec<usize> {
        let indexed = self.numbers.ndim();
        let before = indexed..indexed + self.place;
        let behind = indexed + self.place..dims;
        before.chain(0..indexed).chain(behind).collect()
    }
}

/// Indices along the first axes.
fn leading<'a, I: IndexInteger>(indices: &[&'a Array<I>]) -> Vec<(usize, &'a DynArray)> {
    let arrays = indices.iter().map(|index| index.as_dyn());
    arrays.enumerate().collect()
}

impl<T: Element> Array<T> {
    /// The elements selected by index arrays along the first axes: `x[i, j]`. The arrays are broadcast to one shape,
    /// which replaces these axes.
    ///
    /// # Panics
    /// At the caller's line if there are no indices or more than axes, or they do not broadcast together.
    #[track_caller]
    #[must_use]
    pub fn take_at<I: IndexInteger>(&self, indices: &[&Array<I>]) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().take_at(&leading(indices))))
    }

    /// The elements selected by index arrays, one per axis: `x.take_at_axes(&[(0, &i), (2, &j)])` is `x[i, :, j]`. The
    /// broadcast shape replaces these axes: at the first one if they are adjacent, otherwise in front, as in NumPy.
    ///
    /// # Panics
    /// At the caller's line if there are no indices, an axis is named twice or out of bounds, or the indices do not
    /// broadcast together.
    #[track_caller]
    #[must_use]
    pub fn take_at_axes<I: IndexInteger>(&self, indices: &[(usize, &Array<I>)]) -> Array<T> {
        at_call(self.try_take_at(indices))
    }

    /// Like [`take_at_axes`](Self::take_at_axes), but returns errors.
    ///
    /// # Errors
    /// There are no indices, an axis is named twice or out of bounds, or the indices do not broadcast together.
    #[track_caller]
    pub fn try_take_at<I: IndexInteger>(
        &self,
        indices: &[(usize, &Array<I>)],
    ) -> Result<Array<T>, Error> {
        let indices: Vec<_> = indices
            .iter()
            .map(|(axis, i)| (*axis, i.as_dyn()))
            .collect();
        Ok(Array::wrap(self.as_dyn().take_at(&indices)?))
    }

    /// Writes values to the elements selected by index arrays along the first axes: `x[i, j] = values`. If an element
    /// is selected more than once, the last value counts.
    ///
    /// # Panics
    /// At the caller's line if there are no indices or more than axes, they or the values do not fit, or this is a
    /// broadcast view.
    #[track_caller]
    pub fn put_at<I: IndexInteger>(&self, indices: &[&Array<I>], values: impl IntoValue<T>) {
        let (values, call) = (values.into_value(), Site::caller());
        at_call(self.as_dyn().put_at_by(&leading(indices), &values, call));
    }

    /// Writes values to the elements selected by index arrays, one per axis: `x[i, :, j] = values`.
    ///
    /// # Panics
    /// At the caller's line if there are no indices, an axis is named twice or out of bounds, they or the values do
    /// not fit, or this is a broadcast view.
    #[track_caller]
    pub fn put_at_axes<I: IndexInteger>(
        &self,
        indices: &[(usize, &Array<I>)],
        values: impl IntoValue<T>,
    ) {
        at_call(self.try_put_at(indices, values));
    }

    /// Like [`put_at_axes`](Self::put_at_axes), but returns errors.
    ///
    /// # Errors
    /// There are no indices, an axis is named twice or out of bounds, they or the values do not fit, or this is a
    /// broadcast view.
    #[track_caller]
    pub fn try_put_at<I: IndexInteger>(
        &self,
        indices: &[(usize, &Array<I>)],
        values: impl IntoValue<T>,
    ) -> Result<(), Error> {
        let (values, call) = (values.into_value(), Site::caller());
        let indices: Vec<_> = indices
            .iter()
            .map(|(axis, i)| (*axis, i.as_dyn()))
            .collect();
        Ok(self.as_dyn().put_at_by(&indices, &values, call)?)
    }
}
