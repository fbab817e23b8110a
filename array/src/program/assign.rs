//! Writing into arrays and views.

use super::submit::scalar_as;
use super::value::broadcast;
use super::{Array, DynArray, IntoValue, Value};
use crate::dtype::{Element, Scalar};
use crate::library;
use weft_core::error::{CallError, Error, at_call};
use weft_core::operation;
use weft_core::site::Site;

impl DynArray {
    /// Writes `value`, broadcast to this array's shape and cast to its dtype, into this array.
    ///
    /// # Errors
    /// The shapes do not match, or this is a broadcast view.
    #[track_caller]
    pub fn assign(&self, value: impl Into<Value>) -> Result<(), CallError> {
        self.assign_by(&value.into(), Site::caller())
    }

    pub(crate) fn assign_by(&self, value: &Value, call: Site) -> Result<(), CallError> {
        match value {
            Value::Scalar(scalar) => {
                let fill = scalar_as(*scalar, self.dtype())?;
                self.overwrite(library::elementwise::fill(), &[&Value::Scalar(fill)], call)?;
            }
            Value::Array(array) => {
                broadcast("assign", &array.layout, &self.layout.shape)?;
                let body = if array.dtype() == self.dtype() {
                    operation::copy()
                } else {
                    library::elementwise::cast(self.dtype())
                };
                self.overwrite(body, &[value], call)?;
            }
        }
        Ok(())
    }

    /// Writes `values` where `mask` is true. Both are broadcast to this array's shape.
    ///
    /// # Errors
    /// The shapes do not match, the mask is not `bool`, or this is a broadcast view.
    #[track_caller]
    pub fn putmask(&self, mask: &DynArray, values: impl Into<Value>) -> Result<(), CallError> {
        self.putmask_by(mask, &values.into(), Site::caller())
    }

    pub(crate) fn putmask_by(
        &self,
        mask: &DynArray,
        values: &Value,
        call: Site,
    ) -> Result<(), CallError> {
        if !mask.dtype().is_bool() {
            return Err(CallError::DType {
                operation: "putmask",
                dtype: mask.dtype(),
            });
        }
        let values = values.cast_by(self.dtype(), call)?;
        self.overwrite(
            library::elementwise::putmask(),
            &[&mask.into(), &values],
            call,
        )?;
        Ok(())
    }

    /// A new array with the same elements.
    ///
    /// # Errors
    /// The runtime has finished.
    #[track_caller]
    pub fn copy(&self) -> Result<DynArray, CallError> {
        self.copied(Site::caller())
    }
}

impl<T: Element> Array<T> {
    /// Writes `value`, broadcast to this array's shape, into this array: `x[...] = value`.
    ///
    /// # Panics
    /// At the caller's line if the shapes do not match or this is a broadcast view.
    #[track_caller]
    pub fn assign(&self, value: impl IntoValue<T>) {
        at_call(self.try_assign(value));
    }

    /// Like [`assign`](Self::assign), but returns errors.
    ///
    /// # Errors
    /// The shapes do not match, or this is a broadcast view.
    #[track_caller]
    pub fn try_assign(&self, value: impl IntoValue<T>) -> Result<(), Error> {
        Ok(self
            .as_dyn()
            .assign_by(&value.into_value(), Site::caller())?)
    }

    /// Writes one value into every element.
    ///
    /// # Panics
    /// At the caller's line if this is a broadcast view.
    #[track_caller]
    pub fn fill(&self, value: T) {
        let scalar: Scalar = value.to_scalar();
        at_call(
            self.as_dyn()
                .assign_by(&Value::Scalar(scalar), Site::caller()),
        );
    }

    /// Writes `values` where `mask` is true; both are broadcast to this array's shape.
    ///
    /// # Panics
    /// At the caller's line if the shapes do not match or this is a broadcast view.
    #[track_caller]
    pub fn putmask(&self, mask: &Array<bool>, values: impl IntoValue<T>) {
        at_call(self.try_putmask(mask, values));
    }

    /// Like [`putmask`](Self::putmask), but returns errors.
    ///
    /// # Errors
    /// The shapes do not match, or this is a broadcast view.
    #[track_caller]
    pub fn try_putmask(&self, mask: &Array<bool>, values: impl IntoValue<T>) -> Result<(), Error> {
        let values = values.into_value();
        Ok(self
            .as_dyn()
            .putmask_by(mask.as_dyn(), &values, Site::caller())?)
    }

    /// A new array with the same elements.
    ///
    /// # Panics
    /// At the caller's line if the runtime has finished.
    #[track_caller]
    pub fn copy(&self) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().copied(Site::caller())))
    }

    /// The elements as another dtype, as NumPy's `astype`; a new array where it differs.
    ///
    /// # Panics
    /// At the caller's line if the runtime has finished.
    #[track_caller]
    pub fn cast<U: Element>(&self) -> Array<U> {
        Array::wrap(at_call(self.as_dyn().cast_by(U::DTYPE, Site::caller())))
    }
}
