//! Views with moved, reversed, added, removed or split axes.

use super::compose::typed;
use super::index::wrong;
use super::{Array, DynArray};
use crate::dtype::Element;
use crate::shape::Layout;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// A view with two axes exchanged.
    ///
    /// # Errors
    /// The axis is out of bounds.
    pub fn swapaxes(&self, a: usize, b: usize) -> Result<DynArray, CallError> {
        let (a, b) = (self.check_axis(a)?, self.check_axis(b)?);
        let mut axes: Vec<usize> = (0..self.ndim()).collect();
        axes.swap(a, b);
        self.permute(&axes)
    }

    /// A view with axis `from` moved to position `to`; the other axes keep their order.
    ///
    /// # Errors
    /// The axis is out of bounds.
    pub fn moveaxis(&self, from: usize, to: usize) -> Result<DynArray, CallError> {
        let (from, to) = (self.check_axis(from)?, self.check_axis(to)?);
        let mut axes: Vec<usize> = (0..self.ndim()).collect();
        let axis = axes.remove(from);
        axes.insert(to, axis);
        self.permute(&axes)
    }

    /// A view with a new axis of length 1 at position `axis`.
    ///
    /// # Errors
    /// The position is out of bounds, or there are too many axes.
    pub fn expand_dims(&self, axis: usize) -> Result<DynArray, CallError> {
        self.with_axis(axis)
    }

    /// A view without one axis of length 1, or without all of them.
    ///
    /// # Errors
    /// The axis is out of bounds, or its length is not 1.
    pub fn squeeze(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let dims = self.shape();
        if let Some(axis) = axis
            && dims[self.check_axis(axis)?] != 1
        {
            let why = format!("axis {axis} has {} elements instead of one", dims[axis]);
            return Err(wrong("squeeze", &why));
        }
        let mut layout = self.layout;
        for at in (0..dims.len()).rev() {
            if axis.map_or(dims[at] == 1, |axis| axis == at) {
                layout = layout.index(at, 0).unwrap_or(layout);
            }
        }
        Ok(self.with_layout(layout))
    }

    /// A view with one axis reversed, or all axes.
    ///
    /// # Errors
    /// The axis is out of bounds.
    pub fn flip(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        match axis {
            Some(axis) => Ok(self.backwards(self.check_axis(axis)?)),
            None => Ok((0..self.ndim()).fold(self.clone(), |array, axis| array.backwards(axis))),
        }
    }

    /// A view rotated by `times` right angles, from the first axis towards the second.
    ///
    /// # Errors
    /// There are fewer than two axes.
    pub fn rot90(&self, turns: isize) -> Result<DynArray, CallError> {
        self.check_axis(1)?;
        match turns.rem_euclid(4) {
            0 => Ok(self.clone()),
            1 => self.backwards(1).swapaxes(0, 1),
            2 => Ok(self.backwards(0).backwards(1)),
            _ => self.swapaxes(0, 1).map(|turned| turned.backwards(1)),
        }
    }

    /// All elements in row-major order as a vector: a view if possible, otherwise a copy.
    ///
    /// # Errors
    /// The runtime has finished.
    #[track_caller]
    pub fn ravel(&self) -> Result<DynArray, CallError> {
        self.flattened(Site::caller())
    }

    /// Views of the parts of an axis, split at these positions.
    ///
    /// # Errors
    /// The axis is out of bounds.
    pub fn split_at(&self, positions: &[usize], axis: usize) -> Result<Vec<DynArray>, CallError> {
        let length = self.shape()[self.check_axis(axis)?];
        let starts = std::iter::once(0).chain(positions.iter().copied());
        let ends = positions.iter().copied().chain([length]);
        let part = |(start, end): (usize, usize)| self.part(axis, start, end);
        Ok(starts.zip(ends).map(part).collect())
    }

    /// Views of equal parts of an axis; if the length is not a multiple, the first parts are longer by one: NumPy's
    /// `array_split`.
    ///
    /// # Errors
    /// The axis is out of bounds, or no parts.
    pub fn split(&self, parts: usize, axis: usize) -> Result<Vec<DynArray>, CallError> {
        let length = self.shape()[self.check_axis(axis)?];
        if parts == 0 {
            return Err(wrong("split", "no parts"));
        }
        let longer = length % parts;
        let start = |part: usize| part * (length / parts) + part.min(longer);
        let positions: Vec<usize> = (1..parts).map(start).collect();
        self.split_at(&positions, axis)
    }

    /// A view of a diagonal of the first two axes as the last axis: the main diagonal, or the `offset`-th above it.
    ///
    /// # Errors
    /// There are fewer than two axes.
    pub fn diagonal(&self, offset: isize) -> Result<DynArray, CallError> {
        self.check_axis(1)?;
        let dims = self.shape();
        let (down, right) = (
            0usize
                .saturating_add_signed(offset.saturating_neg())
                .min(dims[0]),
            (offset.max(0) as usize).min(dims[1]),
        );
        let length = dims[0]
            .saturating_sub(down)
            .min(dims[1].saturating_sub(right));
        let corner = self.layout.tile(&[down, right], &[]);
        let mut layout = Layout {
            offset: corner.offset,
            ..self.layout
        };
        // The second axis walks the diagonal and goes to the end; the first one has been used up.
        layout.strides[1] += layout.strides[0];
        layout.shape = layout.shape.with_dim(1, length).unwrap_or(layout.shape);
        layout.shape = layout.shape.with_dim(0, 1).unwrap_or(layout.shape);
        let line = layout.index(0, 0).unwrap_or(layout);
        let last = line.rank() - 1;
        self.with_layout(line).moveaxis(0, last)
    }
}

typed! { Element:
    /// A view with two axes exchanged.
    swapaxes(a: usize, b: usize) = swapaxes(a, b) -> T;
    /// A view with axis `from` moved to position `to`; the other axes keep their order.
    moveaxis(from: usize, to: usize) = moveaxis(from, to) -> T;
    /// A view with a new axis of length 1 at position `axis`.
    expand_dims(axis: usize) = expand_dims(axis) -> T;
    /// A view without any axes of length 1.
    squeeze() = squeeze(None) -> T;
    /// A view without this axis, which must have length 1.
    squeeze_axis(axis: usize) = squeeze(Some(axis)) -> T;
    /// A view with all axes reversed.
    flip() = flip(None) -> T;
    /// A view with one axis reversed.
    flip_axis(axis: usize) = flip(Some(axis)) -> T;
    /// A view rotated by `times` right angles, from the first axis towards the second.
    rot90(turns: isize) = rot90(turns) -> T;
    /// All elements in row-major order as a vector: a view if possible, otherwise a copy.
    ravel() = ravel() -> T;
    /// A view of a diagonal of the first two axes as the last axis: the main one, or the `offset`-th above it.
    diagonal(offset: isize) = diagonal(offset) -> T;
}

impl<T: Element> Array<T> {
    /// Views of equal parts of an axis; if the length is not a multiple, the first parts are longer by one: NumPy's
    /// `array_split`.
    ///
    /// # Panics
    /// At the caller's line if the axis is out of bounds, or no parts.
    #[track_caller]
    #[must_use]
    pub fn split(&self, parts: usize, axis: usize) -> Vec<Array<T>> {
        let parts = at_call(self.as_dyn().split(parts, axis));
        parts.into_iter().map(Array::wrap).collect()
    }

    /// Views of the parts of an axis, split at these positions.
    ///
    /// # Panics
    /// At the caller's line if the axis is out of bounds.
    #[track_caller]
    #[must_use]
    pub fn split_at(&self, positions: &[usize], axis: usize) -> Vec<Array<T>> {
        let parts = at_call(self.as_dyn().split_at(positions, axis));
        parts.into_iter().map(Array::wrap).collect()
    }
}
