//! Arrays that become arrays of the runtime on first use.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::{DType, Scalar, ScalarBits};

use crate::error::Raise;
use crate::masked::Masked;
use crate::rolled::{Rolled, Unset};
use crate::{frame, run};

/// An array that is created in the runtime on first use.
pub(crate) struct Lazy {
    made: OnceLock<DynArray>,
    origin: Origin,
}

/// The elements of a [`Lazy`] array, until it is created in the runtime.
enum Origin {
    /// An array without axes.
    Value(Mutex<Scalar>),
    /// A result of `np.roll`.
    Rolled(Unset),
    /// The elements that a mask selects.
    Masked(Arc<Masked>),
}

impl From<Scalar> for Lazy {
    fn from(value: Scalar) -> Lazy {
        Origin::Value(Mutex::new(value)).into()
    }
}

impl From<Rolled> for Lazy {
    fn from(rolled: Rolled) -> Lazy {
        Origin::Rolled(rolled.into()).into()
    }
}

impl From<Arc<Masked>> for Lazy {
    fn from(masked: Arc<Masked>) -> Lazy {
        Origin::Masked(masked).into()
    }
}

impl From<Origin> for Lazy {
    fn from(origin: Origin) -> Lazy {
        Lazy {
            made: OnceLock::new(),
            origin,
        }
    }
}

impl Lazy {
    /// Returns the runtime's array, if it exists already.
    pub(crate) fn get(&self) -> Option<&DynArray> {
        self.made.get()
    }

    /// Returns the runtime's array.
    pub(crate) fn create(&self) -> PyResult<&DynArray> {
        loop {
            if let Some(made) = self.made.get() {
                return Ok(made);
            }
            match &self.origin {
                Origin::Value(value) => self.create_from_value(value)?,
                Origin::Rolled(unset) => {
                    // Another thread may have created the array in between.
                    if let Some(rolled) = unset.get() {
                        let made = Python::attach(|py| {
                            let _entered = frame::enter_once(py);
                            rolled.copy()
                        })?;
                        drop(self.made.set(made));
                        unset.release();
                    }
                }
                Origin::Masked(masked) => drop(self.made.set(masked.packed()?)),
            }
        }
    }

    fn create_from_value(&self, cell: &Mutex<Scalar>) -> PyResult<()> {
        let value = *lock(cell);
        let made = Python::attach(|py| {
            let _entered = frame::enter_once(py);
            DynArray::full(&run::current()?, &[], value).raise()
        })?;
        // Another thread may have changed the value in between.
        let held = lock(cell);
        if ScalarBits::from_scalar(&held).bytes == ScalarBits::from_scalar(&value).bytes {
            drop(self.made.set(made));
        }
        Ok(())
    }

    /// Returns the value of an array without axes that is not created yet.
    pub(crate) fn value(&self) -> Option<Scalar> {
        let Origin::Value(cell) = &self.origin else {
            return None;
        };
        let held = lock(cell);
        // Another thread may have created the array, whose elements may have changed since.
        self.made.get().is_none().then_some(*held)
    }

    /// Sets the value of an array without axes that is not created yet. Returns false if it is
    /// another array, or has another dtype.
    pub(crate) fn set_value(&self, value: Scalar) -> bool {
        let Origin::Value(cell) = &self.origin else {
            return false;
        };
        let mut held = lock(cell);
        let is_value = self.made.get().is_none() && held.dtype() == value.dtype();
        if is_value {
            *held = value;
        }
        is_value
    }

    /// Returns the result of `np.roll`, unless it has become an array of the runtime.
    pub(crate) fn rolled(&self) -> Option<Arc<Rolled>> {
        match &self.origin {
            Origin::Rolled(unset) => unset.get(),
            _ => None,
        }
    }

    /// Returns the selection, unless it has become an array of the runtime.
    pub(crate) fn masked(&self) -> Option<&Masked> {
        match &self.origin {
            Origin::Masked(masked) if self.made.get().is_none() => Some(masked),
            _ => None,
        }
    }

    /// Returns the number of elements along each axis, if known without creating the array.
    pub(crate) fn dims(&self) -> Option<&[usize]> {
        match &self.origin {
            Origin::Value(_) => Some(&[]),
            Origin::Rolled(unset) => Some(unset.dims()),
            Origin::Masked(_) => None,
        }
    }

    /// Returns the type of the elements.
    pub(crate) fn dtype(&self) -> DType {
        match &self.origin {
            Origin::Value(cell) => lock(cell).dtype(),
            Origin::Rolled(unset) => unset.dtype(),
            Origin::Masked(masked) => masked.dtype(),
        }
    }
}

fn lock(value: &Mutex<Scalar>) -> MutexGuard<'_, Scalar> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
