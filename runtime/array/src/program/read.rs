//! Reading values: the only calls that wait.

use ndarray::{ArrayD, IxDyn};

use super::{Array, DynArray};
use crate::dtype::Element;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Waits for the array's value and copies it out as an `ndarray`.
    ///
    /// # Errors
    /// Returns an error if `T` is not the array's dtype, or an operation that the value depends on
    /// failed.
    #[track_caller]
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>, Error> {
        let _call = Site::enter_caller();
        let values = self.view.read()?;
        // The vector has one value for each element of the shape, so only absurd shapes could fail.
        ArrayD::from_shape_vec(IxDyn(self.shape()), values).map_err(|error| {
            CallError::Shape {
                operation: "read",
                why: error.to_string(),
            }
            .into()
        })
    }
}

impl<T: Element> Array<T> {
    /// Waits for the array's value and copies it out as an `ndarray`.
    ///
    /// # Errors
    /// Returns an error if an operation that the value depends on failed.
    #[track_caller]
    pub fn to_ndarray(&self) -> Result<ArrayD<T>, Error> {
        self.as_dyn().to_ndarray()
    }

    /// Waits for the array's value and copies it out, row-major.
    ///
    /// # Errors
    /// Returns an error if an operation that the value depends on failed.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let _call = Site::enter_caller();
        self.as_dyn().view.read()
    }

    /// Waits for the value of an array of one element.
    ///
    /// # Panics
    /// Panics at the caller's line unless the array has exactly one element, and if an operation
    /// that the value depends on failed. [`try_item`](Self::try_item) returns these errors.
    #[track_caller]
    pub fn item(&self) -> T {
        at_call(self.try_item())
    }

    /// Like [`item`](Self::item), but returns errors and failures.
    ///
    /// # Errors
    /// Returns an error unless the array has exactly one element, and if an operation that the
    /// value depends on failed.
    #[track_caller]
    pub fn try_item(&self) -> Result<T, Error> {
        let _call = Site::enter_caller();
        if self.len() != 1 {
            let why = format!("{:?} has {} elements, not one", self.shape(), self.len());
            return Err(CallError::Shape {
                operation: "item",
                why,
            }
            .into());
        }
        let values: Vec<T> = self.as_dyn().view.read()?;
        values.first().copied().ok_or_else(|| {
            CallError::Shape {
                operation: "item",
                why: "nothing was read".to_owned(),
            }
            .into()
        })
    }
}
