//! Views, which share the data of their array, as in NumPy.

use ndarray::SliceInfoElem;

use super::{Array, DynArray};
use crate::dtype::Element;
use crate::lower::{checked, wrong};
use crate::shape::{Layout, MAX_DIMS};
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns a view by `ndarray`'s `s![]`, with its rules. An entry is a range of an axis with a
    /// step (backward from its end if negative), an index, which removes the axis, or `NewAxis`.
    /// Negative numbers count from the end. Omitted axes stay whole.
    ///
    /// # Errors
    /// Returns an error if an index or the end of a range is out of bounds, or there are more
    /// entries than axes.
    pub fn slice(&self, info: impl AsRef<[SliceInfoElem]>) -> Result<DynArray, CallError> {
        let mut layout = self.view.layout;
        let mut axis = 0;
        for (entry, elem) in info.as_ref().iter().enumerate() {
            if !matches!(elem, SliceInfoElem::NewAxis) && axis >= layout.shape.rank() {
                return Err(CallError::Axis {
                    axis: entry,
                    dims: self.ndim(),
                });
            }
            match *elem {
                SliceInfoElem::Slice { start, end, step } => {
                    layout = range(&layout, axis, start, end, step)?;
                    axis += 1;
                }
                SliceInfoElem::Index(index) => {
                    let length = layout.shape.dims()[axis];
                    layout = layout.index(axis, index).ok_or(CallError::Bounds {
                        index,
                        axis,
                        length,
                    })?;
                }
                SliceInfoElem::NewAxis => {
                    let dims = layout.shape.rank() + 1;
                    layout = layout
                        .insert_axis(axis)
                        .ok_or(CallError::Dimensions { dims })?;
                    axis += 1;
                }
            }
        }
        Ok(self.view.with_layout(layout).into())
    }

    /// Returns the view at one place along an axis, without that axis.
    ///
    /// # Errors
    /// Returns an error if there is no such axis or place.
    pub fn at(&self, axis: usize, index: isize) -> Result<DynArray, CallError> {
        let mut view = self.viewing();
        view.at(axis, index)?;
        Ok(view.done())
    }

    /// Returns the view of `count` places along an axis: `start`, `start + step` and so on.
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or a place is outside of it.
    pub fn range(
        &self,
        axis: usize,
        start: isize,
        step: isize,
        count: usize,
    ) -> Result<DynArray, CallError> {
        let mut view = self.viewing();
        view.range(axis, start, step, count)?;
        Ok(view.done())
    }

    /// Returns a read-only view by lengths and steps, in elements of the store, from the array's
    /// first element, as NumPy's `as_strided`. An element may occur several times.
    ///
    /// # Errors
    /// Returns an error if the numbers of lengths and steps differ, or the view leaves the store.
    pub fn strided(&self, dims: &[usize], strides: &[isize]) -> Result<DynArray, CallError> {
        let shape = checked(dims)?;
        let outside = || CallError::Shape {
            operation: "as_strided",
            why: format!("shape {dims:?} with strides {strides:?} leaves the array's memory"),
        };
        if dims.len() != strides.len() {
            return Err(outside());
        }
        let mut layout = Layout::contiguous(shape);
        layout.offset = self.view.layout.offset;
        layout.strides[..strides.len()].copy_from_slice(strides);
        if !shape.is_empty() {
            let (mut low, mut high) = (
                self.view.layout.offset as i128,
                self.view.layout.offset as i128,
            );
            for (dim, step) in dims.iter().zip(strides) {
                let way = (*dim as i128 - 1) * *step as i128;
                low += way.min(0);
                high += way.max(0);
            }
            if low < 0 || high >= self.view.store.shape.len() as i128 {
                return Err(outside());
            }
        }
        Ok(self.view.with_layout(layout).into())
    }

    /// Returns a view with axis `axes[i]` at position `i`.
    ///
    /// # Errors
    /// Returns an error unless `axes` names every axis once.
    pub fn permute(&self, axes: &[usize]) -> Result<DynArray, CallError> {
        Ok(self.view.permute(axes)?.into())
    }

    /// Returns the elements in row-major order with another shape: a view if possible, otherwise a
    /// copy.
    ///
    /// # Errors
    /// Returns an error if the shape has another number of elements.
    #[track_caller]
    pub fn reshape(&self, dims: &[usize]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let shape = checked(dims)?;
        if shape.len() != self.len() {
            let why = format!(
                "shape {:?} has {} elements, which do not fit shape {dims:?}",
                self.shape(),
                self.len()
            );
            return Err(wrong("reshape", &why));
        }
        Ok(self.view.reshaped(dims)?.into())
    }

    /// Returns the read-only view broadcast to a shape.
    ///
    /// # Errors
    /// Returns an error if the shape does not broadcast to it.
    pub fn broadcast_to(&self, dims: &[usize]) -> Result<DynArray, CallError> {
        Ok(self.view.broadcast_to(dims)?.into())
    }
}

/// Returns a part of one axis, by `ndarray`'s rules.
fn range(
    layout: &Layout,
    axis: usize,
    start: isize,
    end: Option<isize>,
    step: isize,
) -> Result<Layout, CallError> {
    let length = layout.shape.dims()[axis];
    let place = |index: isize| {
        let from_front = if index < 0 {
            index + length as isize
        } else {
            index
        };
        match usize::try_from(from_front) {
            Ok(place) if place <= length => Ok(place),
            _ => Err(CallError::Bounds {
                index,
                axis,
                length,
            }),
        }
    };
    let (start, end) = (place(start)?, end.map_or(Ok(length), place)?);
    let count = end
        .saturating_sub(start)
        .div_ceil(step.unsigned_abs().max(1));
    let mut part = *layout;
    let first = if step < 0 {
        end.saturating_sub(1)
    } else {
        start
    };
    if count > 0 {
        part.offset = layout
            .offset
            .wrapping_add_signed(first as isize * layout.strides[axis]);
    }
    part.shape = layout.shape.with_dim(axis, count).unwrap_or(layout.shape);
    part.strides[axis] = layout.strides[axis] * step;
    debug_assert!(axis < MAX_DIMS);
    Ok(part)
}

impl<T: Element> Array<T> {
    /// Returns a view by `ndarray`'s `s![]`: `x.slice(s![1..-1, ..;2])`. Writing into it writes
    /// into this array.
    ///
    /// # Panics
    /// Panics at the caller's line if an index or the end of a range is outside of its axis.
    #[track_caller]
    #[must_use]
    pub fn slice(&self, info: impl AsRef<[SliceInfoElem]>) -> Array<T> {
        at_call(self.try_slice(info))
    }

    /// Like [`slice`](Self::slice), but returns errors.
    ///
    /// # Errors
    /// Returns an error if an index or the end of a range is out of bounds.
    pub fn try_slice(&self, info: impl AsRef<[SliceInfoElem]>) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().slice(info)?))
    }

    /// Returns a view with axis `axes[i]` at position `i`.
    ///
    /// # Panics
    /// Panics at the caller's line unless `axes` names every axis once.
    #[track_caller]
    #[must_use]
    pub fn transpose(&self, axes: &[usize]) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().permute(axes)))
    }

    /// Returns the elements in row-major order with another shape: a view if possible, otherwise a
    /// copy.
    ///
    /// # Panics
    /// Panics at the caller's line if the shape has another number of elements.
    #[track_caller]
    #[must_use]
    pub fn reshape(&self, dims: &[usize]) -> Array<T> {
        at_call(self.try_reshape(dims))
    }

    /// Like [`reshape`](Self::reshape), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the shape has another number of elements.
    #[track_caller]
    pub fn try_reshape(&self, dims: &[usize]) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().reshape(dims)?))
    }

    /// Returns the read-only view broadcast to a shape.
    ///
    /// # Panics
    /// Panics at the caller's line if the shape does not broadcast to it.
    #[track_caller]
    #[must_use]
    pub fn broadcast_to(&self, dims: &[usize]) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().broadcast_to(dims)))
    }
}
