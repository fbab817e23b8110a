//! Writing into arrays and views.

use super::{Array, DynArray, IntoValue, Value};
use crate::dtype::Element;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Writes `value`, broadcast to this array's shape and cast to its dtype, into this array.
    ///
    /// # Errors
    /// Returns an error if the shapes do not match, or this is a broadcast view.
    #[track_caller]
    pub fn assign(&self, value: impl Into<Value>) -> Result<(), CallError> {
        let _call = Site::enter_caller();
        self.view.assign(&value.into())
    }

    /// Writes `values` where `mask` is true. Both are broadcast to this array's shape.
    ///
    /// # Errors
    /// Returns an error if the shapes do not match, the mask is not `bool`, or this is a broadcast
    /// view.
    #[track_caller]
    pub fn putmask(&self, mask: &DynArray, values: impl Into<Value>) -> Result<(), CallError> {
        let _call = Site::enter_caller();
        let (operation, dtype) = ("putmask", mask.dtype());
        if !dtype.is_bool() {
            return Err(CallError::DType { operation, dtype });
        }
        let values = values.into();
        self.view.putmask(&mask.view, (&values).into())
    }

    /// Returns a new array with the same elements.
    ///
    /// # Errors
    /// Returns an error if the runtime has finished.
    #[track_caller]
    pub fn copy(&self) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.copied()?.into())
    }
}

impl<T: Element> Array<T> {
    /// Writes `value`, broadcast to this array's shape, into this array: `x[...] = value`.
    ///
    /// # Panics
    /// Panics at the caller's line if the shapes do not match or this is a broadcast view.
    #[track_caller]
    pub fn assign(&self, value: impl IntoValue<T>) {
        at_call(self.try_assign(value));
    }

    /// Like [`assign`](Self::assign), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the shapes do not match, or this is a broadcast view.
    #[track_caller]
    pub fn try_assign(&self, value: impl IntoValue<T>) -> Result<(), Error> {
        Ok(self.as_dyn().assign(value.into_value())?)
    }

    /// Writes one value into every element.
    ///
    /// # Panics
    /// Panics at the caller's line if this is a broadcast view.
    #[track_caller]
    pub fn fill(&self, value: T) {
        at_call(self.as_dyn().assign(value.to_scalar()));
    }

    /// Writes `values` where `mask` is true; both are broadcast to this array's shape.
    ///
    /// # Panics
    /// Panics at the caller's line if the shapes do not match or this is a broadcast view.
    #[track_caller]
    pub fn putmask(&self, mask: &Array<bool>, values: impl IntoValue<T>) {
        at_call(self.try_putmask(mask, values));
    }

    /// Like [`putmask`](Self::putmask), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the shapes do not match, or this is a broadcast view.
    #[track_caller]
    pub fn try_putmask(&self, mask: &Array<bool>, values: impl IntoValue<T>) -> Result<(), Error> {
        Ok(self.as_dyn().putmask(mask.as_dyn(), values.into_value())?)
    }

    /// Returns a new array with the same elements.
    ///
    /// # Panics
    /// Panics at the caller's line if the runtime has finished.
    #[track_caller]
    pub fn copy(&self) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().copy()))
    }

    /// Returns the elements as another dtype, as NumPy's `astype`; a new array if the dtype
    /// differs.
    ///
    /// # Panics
    /// Panics at the caller's line if the runtime has finished.
    #[track_caller]
    pub fn cast<U: Element>(&self) -> Array<U> {
        Array::wrap(at_call(self.as_dyn().cast(U::DTYPE)))
    }
}
