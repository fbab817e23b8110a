//! Views with moved, reversed, added, removed or split axes.

use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::Element;
use crate::lower::wrong;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns a view with two axes exchanged.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    pub fn swapaxes(&self, a: usize, b: usize) -> Result<DynArray, CallError> {
        Ok(self.view.swapaxes(a, b)?.into())
    }

    /// Returns a view with axis `from` moved to position `to`; the other axes keep their order.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    pub fn moveaxis(&self, from: usize, to: usize) -> Result<DynArray, CallError> {
        Ok(self.view.moveaxis(from, to)?.into())
    }

    /// Returns a view with a new axis of length 1 at position `axis`.
    ///
    /// # Errors
    /// Returns an error if the position is out of bounds, or there are too many axes.
    pub fn expand_dims(&self, axis: usize) -> Result<DynArray, CallError> {
        Ok(self.view.with_axis(axis)?.into())
    }

    /// Returns a view without one axis of length 1, or without all of them.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or its length is not 1.
    pub fn squeeze(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        Ok(self.view.squeeze(axis)?.into())
    }

    /// Returns a view with one axis reversed, or all axes.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    pub fn flip(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let view = &self.view;
        let flipped = match axis {
            Some(axis) => view.backwards(view.check_axis(axis)?),
            None => (0..view.ndim()).fold(view.clone(), |view, axis| view.backwards(axis)),
        };
        Ok(flipped.into())
    }

    /// Returns a view rotated by `times` right angles, from the first axis towards the second.
    ///
    /// # Errors
    /// Returns an error if there are fewer than two axes.
    pub fn rot90(&self, turns: isize) -> Result<DynArray, CallError> {
        let view = &self.view;
        view.check_axis(1)?;
        let turned = match turns.rem_euclid(4) {
            0 => view.clone(),
            1 => view.backwards(1).swapaxes(0, 1)?,
            2 => view.backwards(0).backwards(1),
            _ => view.swapaxes(0, 1)?.backwards(1),
        };
        Ok(turned.into())
    }

    /// Returns all elements in row-major order as a vector: a view if possible, otherwise a copy.
    ///
    /// # Errors
    /// Returns an error if the runtime has finished.
    #[track_caller]
    pub fn ravel(&self) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.flattened()?.into())
    }

    /// Returns views of the parts of an axis, split at these positions.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    pub fn split_at(&self, positions: &[usize], axis: usize) -> Result<Vec<DynArray>, CallError> {
        let length = self.shape()[self.view.check_axis(axis)?];
        let starts = std::iter::once(0).chain(positions.iter().copied());
        let ends = positions.iter().copied().chain([length]);
        let part = |(start, end): (usize, usize)| self.view.part(axis, start, end).into();
        Ok(starts.zip(ends).map(part).collect())
    }

    /// Returns views of equal parts of an axis; if the length is not a multiple, the first parts
    /// are longer by one: NumPy's `array_split`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or there are no parts.
    pub fn split(&self, parts: usize, axis: usize) -> Result<Vec<DynArray>, CallError> {
        let length = self.shape()[self.view.check_axis(axis)?];
        if parts == 0 {
            return Err(wrong("split", "no parts"));
        }
        let longer = length % parts;
        let start = |part: usize| part * (length / parts) + part.min(longer);
        let positions: Vec<usize> = (1..parts).map(start).collect();
        self.split_at(&positions, axis)
    }

    /// Returns a view of a diagonal of the first two axes as the last axis: the main diagonal, or
    /// the `offset`-th above it.
    ///
    /// # Errors
    /// Returns an error if there are fewer than two axes.
    pub fn diagonal(&self, offset: isize) -> Result<DynArray, CallError> {
        Ok(self.view.diagonal(offset)?.into())
    }
}

typed! { Element:
    /// Returns a view with two axes exchanged.
    swapaxes(a: usize, b: usize) = swapaxes(a, b) -> T;
    /// Returns a view with axis `from` moved to position `to`; the other axes keep their order.
    moveaxis(from: usize, to: usize) = moveaxis(from, to) -> T;
    /// Returns a view with a new axis of length 1 at position `axis`.
    expand_dims(axis: usize) = expand_dims(axis) -> T;
    /// Returns a view without any axes of length 1.
    squeeze() = squeeze(None) -> T;
    /// Returns a view without this axis, which must have length 1.
    squeeze_axis(axis: usize) = squeeze(Some(axis)) -> T;
    /// Returns a view with all axes reversed.
    flip() = flip(None) -> T;
    /// Returns a view with one axis reversed.
    flip_axis(axis: usize) = flip(Some(axis)) -> T;
    /// Returns a view rotated by `times` right angles, from the first axis towards the second.
    rot90(turns: isize) = rot90(turns) -> T;
    /// Returns all elements in row-major order as a vector: a view if possible, otherwise a copy.
    ravel() = ravel() -> T;
    /// Returns a view of a diagonal of the first two axes as the last axis: the main one, or the
    /// `offset`-th above it.
    diagonal(offset: isize) = diagonal(offset) -> T;
}

impl<T: Element> Array<T> {
    /// Returns views of equal parts of an axis; if the length is not a multiple, the first parts
    /// are longer by one: NumPy's `array_split`.
    ///
    /// # Panics
    /// Panics at the caller's line if the axis is out of bounds, or there are no parts.
    #[track_caller]
    #[must_use]
    pub fn split(&self, parts: usize, axis: usize) -> Vec<Array<T>> {
        let parts = at_call(self.as_dyn().split(parts, axis));
        parts.into_iter().map(Array::wrap).collect()
    }

    /// Returns views of the parts of an axis, split at these positions.
    ///
    /// # Panics
    /// Panics at the caller's line if the axis is out of bounds.
    #[track_caller]
    #[must_use]
    pub fn split_at(&self, positions: &[usize], axis: usize) -> Vec<Array<T>> {
        let parts = at_call(self.as_dyn().split_at(positions, axis));
        parts.into_iter().map(Array::wrap).collect()
    }
}
