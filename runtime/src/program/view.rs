//! Views: other ways to look at the same data. They cost nothing and alias, as in NumPy.

use std::panic::Location;

use ndarray::SliceInfoElem;

use super::create::checked;
use super::submit::Call;
use super::value::broadcast;
use super::{Array, DynArray};
use crate::dtype::Element;
use crate::error::{CallError, Error, at_call};
use crate::shape::{Layout, MAX_DIMS};

impl DynArray {
    /// The view that `ndarray`'s `s![]` describes, with its rules: a range of an axis, every `step`-th of it, backward
    /// from its end where the step is negative; an index, which takes the axis away; `NewAxis`. Negative numbers count
    /// from the back. Axes that are left out at the end stay whole.
    ///
    /// # Errors
    /// An index or the end of a range lies outside its axis, or there are more entries than axes.
    pub fn slice(&self, info: impl AsRef<[SliceInfoElem]>) -> Result<DynArray, CallError> {
        let mut layout = self.layout;
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
        Ok(self.with_layout(layout))
    }

    /// The view with axis `axes[i]` in place `i`.
    ///
    /// # Errors
    /// `axes` does not hold every axis once.
    pub fn permute(&self, axes: &[usize]) -> Result<DynArray, CallError> {
        let layout = self.layout.permute(axes).ok_or_else(|| CallError::Shape {
            operation: "transpose",
            why: format!(
                "{axes:?} does not name each of the {} axes once",
                self.ndim()
            ),
        })?;
        Ok(self.with_layout(layout))
    }

    /// The elements in row-major order with another shape: a view where that is possible, else a copy.
    ///
    /// # Errors
    /// The shape has another number of elements.
    #[track_caller]
    pub fn reshape(&self, dims: &[usize]) -> Result<DynArray, CallError> {
        self.reshape_by(dims, Location::caller())
    }

    fn reshape_by(&self, dims: &[usize], call: Call) -> Result<DynArray, CallError> {
        let shape = checked(dims)?;
        if shape.len() != self.len() {
            let why = format!(
                "shape {:?} has {} elements, which do not fit shape {dims:?}",
                self.shape(),
                self.len()
            );
            return Err(CallError::Shape {
                operation: "reshape",
                why,
            });
        }
        if let Some(layout) = self.layout.reshape(shape) {
            return Ok(self.with_layout(layout));
        }
        let copy = self.copied(call)?;
        Ok(copy.with_layout(Layout::contiguous(shape)))
    }

    /// The read-only view stretched to a shape.
    ///
    /// # Errors
    /// The shape does not broadcast to it.
    pub fn broadcast_to(&self, dims: &[usize]) -> Result<DynArray, CallError> {
        let layout = broadcast("broadcast_to", &self.layout, &checked(dims)?)?;
        Ok(self.with_layout(layout))
    }
}

/// Part of one axis, by `ndarray`'s rules.
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
    /// The view that `ndarray`'s `s![]` describes: `x.slice(s![1..-1, ..;2])`. Writing into it writes into this array.
    ///
    /// # Panics
    /// At the caller's line, where an index or the end of a range lies outside its axis.
    #[track_caller]
    #[must_use]
    pub fn slice(&self, info: impl AsRef<[SliceInfoElem]>) -> Array<T> {
        at_call(self.try_slice(info))
    }

    /// [`slice`](Self::slice), with mistakes returned.
    ///
    /// # Errors
    /// An index or the end of a range lies outside its axis.
    pub fn try_slice(&self, info: impl AsRef<[SliceInfoElem]>) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().slice(info)?))
    }

    /// The view with axis `axes[i]` in place `i`.
    ///
    /// # Panics
    /// At the caller's line, where `axes` does not hold every axis once.
    #[track_caller]
    #[must_use]
    pub fn transpose(&self, axes: &[usize]) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().permute(axes)))
    }

    /// The elements in row-major order with another shape: a view where that is possible, else a copy.
    ///
    /// # Panics
    /// At the caller's line, where the shape has another number of elements.
    #[track_caller]
    #[must_use]
    pub fn reshape(&self, dims: &[usize]) -> Array<T> {
        at_call(self.try_reshape(dims))
    }

    /// [`reshape`](Self::reshape), with mistakes returned.
    ///
    /// # Errors
    /// The shape has another number of elements.
    #[track_caller]
    pub fn try_reshape(&self, dims: &[usize]) -> Result<Array<T>, Error> {
        Ok(Array::wrap(
            self.as_dyn().reshape_by(dims, Location::caller())?,
        ))
    }

    /// The read-only view stretched to a shape.
    ///
    /// # Panics
    /// At the caller's line, where the shape does not broadcast to it.
    #[track_caller]
    #[must_use]
    pub fn broadcast_to(&self, dims: &[usize]) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().broadcast_to(dims)))
    }
}
