//! Running sums, products and extremes.

use super::{Array, DynArray, Summable};
use crate::kernel::ScanOp;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns the running results along an axis, or without one those of all elements in row-major
    /// order, as a vector.
    ///
    /// Terms are added sequentially, so the result does not depend on the number of workers.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn scan(&self, op: ScanOp, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.scan(op, axis)?.into())
    }
}

macro_rules! scans {
    ($($(#[$doc:meta])* $name:ident, $axis_name:ident, $try_name:ident = $op:ident;)*) => {
        impl<T: Summable> Array<T> {
            $($(#[$doc])*
            /// Computed over all elements in row-major order, as a vector.
            ///
            /// # Panics
            /// Panics at the caller's line if the runtime has finished.
            #[track_caller]
            #[must_use]
            pub fn $name(&self) -> Array<T::Sum> {
                at_call(self.$try_name(None))
            }

            $(#[$doc])*
            /// Computed over the elements along one axis.
            ///
            /// # Panics
            /// Panics at the caller's line if the axis is out of bounds.
            #[track_caller]
            #[must_use]
            pub fn $axis_name(&self, axis: usize) -> Array<T::Sum> {
                at_call(self.$try_name(Some(axis)))
            }

            $(#[$doc])*
            /// Computed over all elements or those along one axis; returns errors.
            ///
            /// # Errors
            /// Returns an error if the axis is out of bounds.
            #[track_caller]
            pub fn $try_name(&self, axis: Option<usize>) -> Result<Array<T::Sum>, Error> {
                Ok(Array::wrap(self.as_dyn().scan(ScanOp::$op, axis)?))
            })*
        }
    };
}

scans! {
    /// The running sum, as NumPy's `cumsum`.
    cumsum, cumsum_axis, try_cumsum = CumSum;
    /// The running product, as NumPy's `cumprod`.
    cumprod, cumprod_axis, try_cumprod = CumProd;
}
