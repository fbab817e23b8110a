//! Products of arrays of any number of axes: over pairs of axes, or matrix by matrix.

use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::Number;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns sums of products over pairs of axes: `left[i]` of this array with `right[i]` of the
    /// other: NumPy's `tensordot`. The result has the other axes of this array, then those of the
    /// other one.
    ///
    /// # Errors
    /// Returns an error if the numbers or lengths of the axes differ, one is out of bounds or named
    /// twice, or the result has too many axes.
    #[track_caller]
    pub fn tensordot(
        &self,
        other: &DynArray,
        left: &[usize],
        right: &[usize],
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let made = self.view.tensordot("tensordot", &other.view, left, right)?;
        Ok(made.into())
    }

    /// Returns the sums of products over the last axes of both: NumPy's `inner`. With an array
    /// without axes, the products.
    ///
    /// # Errors
    /// Returns an error if the lengths of the last axes differ, or the result has too many axes.
    #[track_caller]
    pub fn inner(&self, other: &DynArray) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.inner(&other.view)?.into())
    }

    /// Returns the sum of the products of all elements of both, in row-major order; this array's
    /// complex numbers are conjugated.
    ///
    /// # Errors
    /// Returns an error if the numbers of elements differ.
    #[track_caller]
    pub fn vdot(&self, other: &DynArray) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.vdot(&other.view)?.into())
    }
}

typed! { Number:
    /// Returns sums of products over pairs of axes: `left[i]` of this array with `right[i]` of the
    /// other.
    tensordot(other: &Array<T>, left: &[usize], right: &[usize]) = tensordot(other.as_dyn(), left, right) -> T;
    /// Returns the sums of products over the last axes of both.
    inner(other: &Array<T>) = inner(other.as_dyn()) -> T;
    /// Returns the sum of the products of all elements of both, in row-major order; this array's
    /// complex numbers are conjugated.
    vdot(other: &Array<T>) = vdot(other.as_dyn()) -> T;
}
