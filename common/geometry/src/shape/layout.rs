//! The places of a view's elements in an allocation.

use super::{MAX_DIMS, Shape};

/// A view of an allocation: a shape, a step for each dimension, and the first element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The number of elements along each dimension.
    pub shape: Shape,
    /// The step from one element to the next along each dimension, in elements: 0 if one element is
    /// repeated, negative if the view runs backwards. Those beyond the rank are 0.
    pub strides: [isize; MAX_DIMS],
    /// The element at index 0, in elements from the start of the allocation.
    pub offset: usize,
}

impl Layout {
    /// Returns the layout of a whole row-major array.
    #[inline]
    pub fn contiguous(shape: Shape) -> Layout {
        Layout {
            shape,
            strides: shape.row_major_strides(),
            offset: 0,
        }
    }

    /// Returns the number of dimensions.
    #[inline]
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// Returns the step of each dimension, in elements.
    #[inline]
    pub fn strides(&self) -> &[isize] {
        &self.strides[..self.rank()]
    }

    /// Returns the element at `index`, in elements from the start of the allocation. The index must
    /// lie in the shape.
    #[inline]
    pub fn offset_of(&self, index: &[usize]) -> usize {
        let steps = self.strides().iter().zip(index);
        self.offset
            .wrapping_add_signed(steps.map(|(&stride, &at)| stride * at as isize).sum())
    }

    /// Repeats elements to the shape `to` by NumPy's broadcasting; `None` if the shapes do not
    /// agree.
    pub fn broadcast_to(&self, to: Shape) -> Option<Layout> {
        let added = to.rank().checked_sub(self.rank())?;
        let mut strides = [0; MAX_DIMS];
        for (axis, &dim) in self.shape.dims().iter().enumerate() {
            if dim == to.dims()[added + axis] {
                strides[added + axis] = self.strides[axis];
            } else if dim != 1 {
                return None;
            }
        }
        Some(Layout {
            shape: to,
            strides,
            offset: self.offset,
        })
    }

    /// Returns the view with dimension `axes[i]` at position `i`; `None` unless `axes` is a
    /// permutation of the dimensions.
    pub fn permute(&self, axes: &[usize]) -> Option<Layout> {
        if axes.len() != self.rank() {
            return None;
        }
        let mut seen = [false; MAX_DIMS];
        let mut dims = [0; MAX_DIMS];
        let mut strides = [0; MAX_DIMS];
        for (place, &axis) in axes.iter().enumerate() {
            if axis >= self.rank() || std::mem::replace(&mut seen[axis], true) {
                return None;
            }
            dims[place] = self.shape.dims()[axis];
            strides[place] = self.strides[axis];
        }
        Some(Layout {
            shape: Shape::new(&dims[..axes.len()])?,
            strides,
            offset: self.offset,
        })
    }

    /// Returns the view with its dimensions in the opposite order.
    pub fn transpose(&self) -> Layout {
        let mut axes = [0; MAX_DIMS];
        for (place, axis) in axes[..self.rank()].iter_mut().enumerate() {
            *axis = self.rank() - 1 - place;
        }
        self.permute(&axes[..self.rank()]).unwrap_or(*self)
    }

    /// Returns every `step`-th element along `axis` from `start` to `end`, as Python's
    /// `[start:end:step]`.
    ///
    /// Negative `start` and `end` count from the back. `None` is the far end in the direction of
    /// `step`. Indices beyond the array are cut off. Returns `None` if there is no such dimension,
    /// or `step` is 0.
    pub fn slice(
        &self,
        axis: usize,
        start: Option<isize>,
        end: Option<isize>,
        step: isize,
    ) -> Option<Layout> {
        let dim = *self.shape.dims().get(axis)? as isize;
        if step == 0 {
            return None;
        }
        // The range of bounds. The end of a backward slice may lie before the first element.
        let (low, high) = if step > 0 { (0, dim) } else { (-1, dim - 1) };
        let place = |bound: Option<isize>, otherwise: isize| match bound {
            None => otherwise,
            Some(at) if at < 0 => at.saturating_add(dim).clamp(low, high),
            Some(at) => at.clamp(low, high),
        };
        let (start, end) = if step > 0 {
            (place(start, 0), place(end, dim))
        } else {
            (place(start, dim - 1), place(end, -1))
        };
        let span = if step > 0 { end - start } else { start - end };
        let count = if span > 0 {
            (span as usize).div_ceil(step.unsigned_abs())
        } else {
            0
        };
        let mut view = *self;
        view.shape = self.shape.with_dim(axis, count)?;
        if count > 0 {
            view.offset = self.offset.wrapping_add_signed(start * self.strides[axis]);
        }
        view.strides[axis] = self.strides[axis].saturating_mul(step);
        Some(view)
    }

    /// Returns the view at one position of `axis`, without that dimension. A negative position
    /// counts from the back. Returns `None` if there is no such dimension or position.
    #[inline]
    pub fn index(&self, axis: usize, at: isize) -> Option<Layout> {
        let dim = *self.shape.dims().get(axis)?;
        let at = if at < 0 {
            at.checked_add_unsigned(dim)?
        } else {
            at
        };
        if at < 0 || at as usize >= dim {
            return None;
        }
        let mut view = *self;
        view.offset = self.offset.wrapping_add_signed(at * self.strides[axis]);
        view.shape = self.shape.without(axis);
        view.strides.copy_within(axis + 1.., axis);
        view.strides[MAX_DIMS - 1] = 0;
        Some(view)
    }

    /// Inserts a dimension of length 1 at `axis`. Returns `None` if `axis` is above the rank, or
    /// the rank is [`MAX_DIMS`](super::MAX_DIMS).
    pub fn insert_axis(&self, axis: usize) -> Option<Layout> {
        let rank = self.rank();
        if axis > rank || rank == MAX_DIMS {
            return None;
        }
        let mut dims = [1; MAX_DIMS];
        dims[..axis].copy_from_slice(&self.shape.dims()[..axis]);
        dims[axis + 1..=rank].copy_from_slice(&self.shape.dims()[axis..]);
        let mut view = *self;
        view.shape = Shape::new(&dims[..=rank])?;
        view.strides.copy_within(axis..MAX_DIMS - 1, axis + 1);
        view.strides[axis] = 0;
        Some(view)
    }

    /// Returns the rectangle from `lo` to `hi` (exclusive), with one entry for each dimension. It
    /// is clipped to the shape.
    #[inline]
    pub fn tile(&self, lo: &[usize], hi: &[usize]) -> Layout {
        let mut view = *self;
        let mut dims = [0; MAX_DIMS];
        for (axis, &dim) in self.shape.dims().iter().enumerate() {
            let end = hi.get(axis).copied().unwrap_or(dim).min(dim);
            let start = lo.get(axis).copied().unwrap_or(0).min(end);
            dims[axis] = end - start;
            view.offset = view
                .offset
                .wrapping_add_signed(start as isize * self.strides[axis]);
        }
        // No dimension grows, so the shape is valid.
        view.shape = Shape::new(&dims[..self.rank()]).unwrap_or(self.shape);
        view
    }

    /// Whether the elements lie one after another in row-major order.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        let mut step = 1;
        for (&dim, &stride) in self.shape.dims().iter().zip(self.strides()).rev() {
            if dim == 0 {
                return true;
            }
            if dim != 1 {
                if stride != step {
                    return false;
                }
                step *= dim as isize;
            }
        }
        true
    }

    /// Returns a view with the same elements in row-major order and the shape `to`. Returns `None`
    /// if the numbers of elements differ, or if no steps describe the view, so that a copy is
    /// needed.
    pub fn reshape(&self, to: Shape) -> Option<Layout> {
        if self.shape.len() != to.len() {
            return None;
        }
        if self.shape.is_empty() {
            return Some(Layout {
                offset: self.offset,
                ..Layout::contiguous(to)
            });
        }
        let from = self.shape.dims();
        let mut strides = [0; MAX_DIMS];
        let (mut old, mut new) = (0, 0);
        while new < to.rank() {
            // The shortest runs of old and new dimensions with equal numbers of elements.
            let (first_old, first_new) = (old, new);
            let mut old_len = 1;
            let mut new_len = to.dims()[new];
            new += 1;
            while old_len != new_len {
                if old_len < new_len {
                    old_len *= from[old];
                    old += 1;
                } else {
                    new_len *= to.dims()[new];
                    new += 1;
                }
            }
            let mut step = self.merged_step(first_old, old)?;
            for axis in (first_new..new).rev() {
                strides[axis] = step;
                step *= to.dims()[axis] as isize;
            }
        }
        Some(Layout {
            shape: to,
            strides,
            offset: self.offset,
        })
    }

    /// Returns the step of dimensions `first..end` as one dimension, in elements; `None` if they
    /// are not evenly spaced.
    fn merged_step(&self, first: usize, end: usize) -> Option<isize> {
        let mut merged: Option<(isize, isize)> = None;
        for axis in (first..end)
            .rev()
            .filter(|&axis| self.shape.dims()[axis] != 1)
        {
            let dim = self.shape.dims()[axis] as isize;
            let (step, next) = match merged {
                None => (self.strides[axis], self.strides[axis]),
                Some((_, next)) if next != self.strides[axis] => return None,
                Some(both) => both,
            };
            merged = Some((step, next * dim));
        }
        Some(merged.map_or(1, |(step, _)| step))
    }

    /// Returns the lowest and the highest element of the view, in elements from the start of the
    /// allocation; `None` if the view is empty.
    pub fn extent(&self) -> Option<(usize, usize)> {
        if self.shape.is_empty() {
            return None;
        }
        let (mut low, mut high) = (self.offset, self.offset);
        for (&dim, &stride) in self.shape.dims().iter().zip(self.strides()) {
            let reach = stride * (dim - 1) as isize;
            if reach < 0 {
                low = low.wrapping_add_signed(reach);
            } else {
                high = high.wrapping_add_signed(reach);
            }
        }
        Some((low, high))
    }
}

#[cfg(test)]
mod tests;
