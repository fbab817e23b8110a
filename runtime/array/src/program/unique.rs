//! Unique values.

use super::{Array, DynArray};
use crate::dtype::Element;
use weft_core::error::{Error, at_call};
use weft_core::site::Site;

/// The unique values of an array and their positions in it.
#[derive(Clone, Debug)]
pub struct Unique<V> {
    /// The sorted values.
    pub values: V,
    /// The row-major number of each value's first element.
    pub indices: Array<i64>,
    /// The number of its value, for each element of the array, in the array's shape.
    pub inverse: Array<i64>,
    /// The number of elements with each value.
    pub counts: Array<i64>,
}

impl DynArray {
    /// Returns the sorted unique values, as a vector. All NaN count as equal, and so do -0.0 and
    /// 0.0. Waits for their number.
    ///
    /// # Errors
    /// Returns an error if an operation that the array depends on failed.
    #[track_caller]
    pub fn unique(&self) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        Ok(self.view.unique()?.into())
    }

    /// Returns the unique values as [`unique`](Self::unique) does, with their positions and counts.
    /// Waits for their number.
    ///
    /// # Errors
    /// Returns an error if an operation that the array depends on failed.
    #[track_caller]
    pub fn unique_all(&self) -> Result<Unique<DynArray>, Error> {
        let _call = Site::enter_caller();
        let all = self.view.unique_all()?;
        Ok(Unique {
            values: all.values.into(),
            indices: Array::wrap(all.indices.into()),
            inverse: Array::wrap(all.inverse.into()),
            counts: Array::wrap(all.counts.into()),
        })
    }
}

impl<T: Element> Array<T> {
    /// Returns the sorted unique values, as a vector. All NaN count as equal, and so do -0.0 and
    /// 0.0. Waits for their number.
    ///
    /// # Panics
    /// Panics at the caller's line if a computation that the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn unique(&self) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().unique()))
    }

    /// Returns the unique values as [`unique`](Self::unique) does, with their positions and counts.
    /// Waits for their number.
    ///
    /// # Panics
    /// Panics at the caller's line if a computation that the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn unique_all(&self) -> Unique<Array<T>> {
        let all = at_call(self.as_dyn().unique_all());
        Unique {
            values: Array::wrap(all.values),
            indices: all.indices,
            inverse: all.inverse,
            counts: all.counts,
        }
    }
}
