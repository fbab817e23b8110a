//! Views built in several steps, without an array for each step.

use super::DynArray;
use crate::shape::{Layout, MAX_DIMS};
use weft_core::error::CallError;

/// A view of an array that is being built.
pub struct Viewing<'a> {
    of: &'a DynArray,
    layout: Layout,
}

impl DynArray {
    /// Starts a view with the whole array.
    pub fn viewing(&self) -> Viewing<'_> {
        Viewing {
            of: self,
            layout: self.view.layout,
        }
    }
}

impl Viewing<'_> {
    /// Returns the current number of elements along each axis.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape.dims()
    }

    fn check_axis(&self, axis: usize) -> Result<usize, CallError> {
        let dims = self.shape();
        dims.get(axis).copied().ok_or(CallError::Axis {
            axis,
            dims: dims.len(),
        })
    }

    /// Takes one place along an axis, and removes the axis.
    ///
    /// # Errors
    /// Returns an error if there is no such axis or place.
    #[inline]
    pub fn at(&mut self, axis: usize, index: isize) -> Result<(), CallError> {
        let length = self.check_axis(axis)?;
        let place = match index < 0 {
            true => index.saturating_add_unsigned(length),
            false => index,
        };
        if !usize::try_from(place).is_ok_and(|place| place < length) {
            return Err(CallError::Bounds {
                index,
                axis,
                length,
            });
        }
        let layout = &mut self.layout;
        layout.offset = layout
            .offset
            .wrapping_add_signed(place * layout.strides[axis]);
        layout.shape = layout.shape.without(axis);
        layout.strides.copy_within(axis + 1.., axis);
        layout.strides[MAX_DIMS - 1] = 0;
        Ok(())
    }

    /// Takes `count` places along an axis: `start`, `start + step` and so on.
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or a place is outside of it.
    #[inline]
    pub fn range(
        &mut self,
        axis: usize,
        start: isize,
        step: isize,
        count: usize,
    ) -> Result<(), CallError> {
        let length = self.check_axis(axis)?;
        let layout = &mut self.layout;
        if count > 0 {
            let last = (count as isize - 1)
                .checked_mul(step)
                .and_then(|way| start.checked_add(way));
            let is_inside = |place: isize| usize::try_from(place).is_ok_and(|at| at < length);
            let last = last.unwrap_or(isize::MAX);
            for index in [start, last] {
                if !is_inside(index) {
                    return Err(CallError::Bounds {
                        index,
                        axis,
                        length,
                    });
                }
            }
            layout.offset = layout
                .offset
                .wrapping_add_signed(start * layout.strides[axis]);
        }
        layout.shape = layout.shape.with_dim(axis, count).unwrap_or(layout.shape);
        layout.strides[axis] = layout.strides[axis].wrapping_mul(step);
        Ok(())
    }

    /// Adds an axis of length 1.
    ///
    /// # Errors
    /// Returns an error if there would be too many axes, or there are fewer than `axis` axes.
    pub fn insert(&mut self, axis: usize) -> Result<(), CallError> {
        let dims = self.layout.rank() + 1;
        self.layout = self
            .layout
            .insert_axis(axis)
            .ok_or(CallError::Dimensions { dims })?;
        Ok(())
    }

    /// Whether `other` has the same elements of the same store, in the same order.
    #[inline]
    pub fn is(&self, other: &DynArray) -> bool {
        self.of.shares_store_with(other) && self.layout == other.view.layout
    }

    /// Returns the finished view.
    #[inline]
    pub fn done(self) -> DynArray {
        self.of.view.with_layout(self.layout).into()
    }
}
