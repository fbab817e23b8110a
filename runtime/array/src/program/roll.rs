//! Arrays whose elements move along axes and enter again at the other end.

use smallvec::SmallVec;

use super::DynArray;
use crate::lower::wrong;
use crate::shape::MAX_DIMS;
use weft_core::error::CallError;
use weft_core::site::Site;

impl DynArray {
    /// Returns a copy with the elements moved by `shift` places along an axis, or without one in
    /// row-major order: NumPy's `roll`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn roll(&self, shift: isize, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let Some(axis) = axis else {
            let rolled = self.view.flattened()?.roll(&[shift])?;
            return Ok(rolled.reshaped(self.shape())?.into());
        };
        self.view.check_axis(axis)?;
        let mut shifts = [0; MAX_DIMS];
        shifts[axis] = shift;
        Ok(self.view.roll(&shifts[..self.ndim()])?.into())
    }

    /// Returns a copy with the elements moved by `shifts[axis]` places along each axis.
    ///
    /// # Errors
    /// Returns an error if the number of shifts is not that of the axes.
    #[track_caller]
    pub fn roll_axes(&self, shifts: &[isize]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        if shifts.len() != self.ndim() {
            let why = format!("{} shifts for {} axes", shifts.len(), self.ndim());
            return Err(wrong("roll", &why));
        }
        Ok(self.view.roll(shifts)?.into())
    }
}

/// A copy of an array with margins that repeat the elements of the other end of each axis.
///
/// The array rolled by a few places is a view of it. Groups of operations read such views without
/// copying them.
#[derive(Clone)]
pub struct Wrapped {
    copy: DynArray,
    widths: SmallVec<[usize; MAX_DIMS]>,
}

impl Wrapped {
    /// Copies an array. `widths[axis]` is the number of positions of each margin of an axis.
    ///
    /// # Errors
    /// Returns an error if there is not one width for each axis, or one exceeds the axis's length.
    #[track_caller]
    pub fn new(array: &DynArray, widths: &[usize]) -> Result<Wrapped, CallError> {
        let _call = Site::enter_caller();
        let is_possible = widths.len() == array.ndim()
            && std::iter::zip(widths, array.shape()).all(|(width, length)| width <= length);
        if !is_possible {
            let why = format!("margins of {widths:?} around shape {:?}", array.shape());
            return Err(wrong("roll", &why));
        }
        Ok(Wrapped {
            copy: array.view.wrap(widths)?.into(),
            widths: widths.into(),
        })
    }

    /// Returns the size of the copy in bytes.
    pub fn bytes(&self) -> usize {
        self.copy.len() * self.copy.dtype().size()
    }

    /// Returns the array rolled by `shifts[axis]` places along each axis, as a view of the copy;
    /// `None` if a margin is too narrow, or there is not one shift for each axis.
    pub fn rolled(&self, shifts: &[isize]) -> Option<DynArray> {
        if shifts.len() != self.widths.len() {
            return None;
        }
        let mut view = self.copy.view.clone();
        for (axis, (&width, &shift)) in self.widths.iter().zip(shifts).enumerate() {
            let start = width.checked_add_signed(shift.checked_neg()?)?;
            if start > 2 * width {
                return None;
            }
            let length = self.copy.shape()[axis] - 2 * width;
            view = view.part(axis, start, start + length);
        }
        Some(view.into())
    }
}
