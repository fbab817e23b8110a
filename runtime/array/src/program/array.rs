//! Typed arrays.

use std::marker::PhantomData;

use super::DynArray;
use crate::dtype::Element;
use crate::lower::View;
use weft_core::define::{StoreView, Stored};
use weft_core::error::{CallError, Error};

/// An N-dimensional array of `T`.
///
/// Calls on arrays return at once; values are computed later. Clones and views share data, as in
/// NumPy: a write through one is visible through all. [`copy`](Array::copy) makes an independent
/// array.
///
/// Wrong shapes, bounds or dtypes panic at the caller's line; the `try_` forms return the error.
pub struct Array<T: Element> {
    inner: DynArray,
    element: PhantomData<T>,
}

impl<T: Element> Array<T> {
    /// Wraps an array that has this dtype.
    pub(crate) fn wrap(inner: DynArray) -> Array<T> {
        debug_assert_eq!(inner.dtype(), T::DTYPE);
        Array {
            inner,
            element: PhantomData,
        }
    }

    /// Returns the array without its static type.
    pub fn as_dyn(&self) -> &DynArray {
        &self.inner
    }

    /// Converts into the array without its static type.
    pub fn into_dyn(self) -> DynArray {
        self.inner
    }

    /// Returns the number of elements along each axis.
    pub fn shape(&self) -> &[usize] {
        self.inner.shape()
    }

    /// Returns the number of axes.
    pub fn ndim(&self) -> usize {
        self.inner.ndim()
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.inner.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }
}

impl<T: Element> Clone for Array<T> {
    fn clone(&self) -> Self {
        Array::wrap(self.inner.clone())
    }
}

impl<T: Element> std::fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Array<{}>{:?}", T::DTYPE, self.shape())
    }
}

impl<T: Element> TryFrom<DynArray> for Array<T> {
    type Error = Error;

    fn try_from(array: DynArray) -> Result<Self, Error> {
        if array.dtype() == T::DTYPE {
            return Ok(Array::wrap(array));
        }
        let (left, right) = (array.dtype(), T::DTYPE);
        Err(CallError::DTypes {
            operation: "typed array",
            left,
            right,
        }
        .into())
    }
}

impl<T: Element> From<Array<T>> for DynArray {
    fn from(array: Array<T>) -> Self {
        array.inner
    }
}

impl Stored for DynArray {
    fn stored(&self) -> &StoreView {
        &self.view
    }
}

impl<T: Element> Stored for Array<T> {
    fn stored(&self) -> &StoreView {
        self.as_dyn().stored()
    }
}

impl From<StoreView> for DynArray {
    fn from(view: StoreView) -> DynArray {
        View::from(view).into()
    }
}
