//! Running sums, products and extremes.

use super::View;
use crate::dtype::DType;
use crate::kernel::ScanOp;
use crate::library;
use weft_core::error::CallError;

impl View {
    /// Returns the running results along an axis, or without one those of all elements in row-major
    /// order, as a vector.
    ///
    /// Terms are added sequentially, so the result does not depend on the number of workers.
    pub(crate) fn scan(&self, op: ScanOp, axis: Option<usize>) -> Result<View, CallError> {
        let Some(axis) = axis else {
            return self.flattened()?.scan(op, Some(0));
        };
        self.check_axis(axis)?;
        let (operation, dtype) = (op.name(), self.dtype());
        if !op.reduce().is_defined(dtype) {
            return Err(CallError::DType { operation, dtype });
        }
        // Each running sum of `f16` is rounded, as the next one starts from it. Extremes are exact.
        let is_half = dtype == DType::F16 && op.reduce().output_dtype(dtype) != dtype;
        if is_half
            && let Some(scanned) = self.through_f32(|wide| wide.scan_along(op, axis, is_half))
        {
            return scanned;
        }
        self.scan_along(op, axis, is_half)
    }

    fn scan_along(&self, op: ScanOp, axis: usize, is_half: bool) -> Result<View, CallError> {
        let dtype = op.output_dtype(self.dtype());
        let body = library::scan::scan(op, axis as u8, is_half);
        let shape = self.layout.shape;
        View::compute(&self.core, (dtype, shape), body, &[self.into()])
    }
}
