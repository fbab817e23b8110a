//! Running sums and products.

use super::forward::checked;
use super::{Array, DynArray, Summable, Value};
use crate::kernel::ScanOp;
use crate::library;
use crate::shape::Layout;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// The running results along an axis, or without one those of all elements in row-major order, as a vector.
    ///
    /// Terms are added sequentially, so the result does not depend on the number of workers.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn scan(&self, op: ScanOp, axis: Option<usize>) -> Result<DynArray, CallError> {
        self.scan_by(op, axis, Site::caller())
    }

    pub(crate) fn scan_by(
        &self,
        op: ScanOp,
        axis: Option<usize>,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let Some(axis) = axis else {
            return self.flattened(call)?.scan_by(op, Some(0), call);
        };
        if axis >= self.ndim() {
            return Err(CallError::Axis {
                axis,
                dims: self.ndim(),
            });
        }
        if let Some(scanned) = self.through_f32(call, |wide| wide.scan_by(op, Some(axis), call)) {
            return scanned;
        }
        let dtype = op.output_dtype(self.dtype());
        let out = DynArray::unwritten(&self.core, dtype, self.layout.shape, call)?;
        let body = library::scan::scan(op, axis as u8);
        out.write(body, &[&Value::from(self)], call)?;
        Ok(out)
    }

    /// All elements in row-major order as a vector: a view if possible, otherwise a copy.
    pub(crate) fn flattened(&self, call: Site) -> Result<DynArray, CallError> {
        let shape = checked(&[self.len()])?;
        if let Some(layout) = self.layout.reshape(shape) {
            return Ok(self.with_layout(layout));
        }
        let copy = self.copied(call)?;
        Ok(copy.with_layout(Layout::contiguous(shape)))
    }
}

macro_rules! scans {
    ($($(#[$doc:meta])* $name:ident, $axis_name:ident, $try_name:ident = $op:ident;)*) => {
        impl<T: Summable> Array<T> {
            $($(#[$doc])*
            /// Of all elements in row-major order, as a vector.
            ///
            /// # Panics
            /// At the caller's line if the runtime has finished.
            #[track_caller]
            #[must_use]
            pub fn $name(&self) -> Array<T::Sum> {
                at_call(self.$try_name(None))
            }

            $(#[$doc])*
            /// Of the elements along one axis.
            ///
            /// # Panics
            /// At the caller's line if the axis is out of bounds.
            #[track_caller]
            #[must_use]
            pub fn $axis_name(&self, axis: usize) -> Array<T::Sum> {
                at_call(self.$try_name(Some(axis)))
            }

            $(#[$doc])*
            /// Of all elements or of those along one axis; returns errors.
            ///
            /// # Errors
            /// The axis is out of bounds.
            #[track_caller]
            pub fn $try_name(&self, axis: Option<usize>) -> Result<Array<T::Sum>, Error> {
                let scanned = self.as_dyn().scan_by(ScanOp::$op, axis, Site::caller())?;
                Ok(Array::wrap(scanned))
            })*
        }
    };
}

scans! {
    /// The running sum: NumPy's `cumsum`.
    cumsum, cumsum_axis, try_cumsum = CumSum;
    /// The running product: NumPy's `cumprod`.
    cumprod, cumprod_axis, try_cumprod = CumProd;
}
