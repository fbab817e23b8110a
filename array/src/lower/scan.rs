//! Running sums and products.

use super::View;
use crate::kernel::ScanOp;
use crate::library;
use weft_core::error::CallError;
use weft_core::site::Site;

impl View {
    /// The running results along an axis, or without one those of all elements in row-major order, as a vector.
    ///
    /// Terms are added sequentially, so the result does not depend on the number of workers.
    pub(crate) fn scan(
        &self,
        op: ScanOp,
        axis: Option<usize>,
        call: Site,
    ) -> Result<View, CallError> {
        let Some(axis) = axis else {
            return self.flattened(call)?.scan(op, Some(0), call);
        };
        self.check_axis(axis)?;
        if let Some(scanned) = self.through_f32(call, |wide| wide.scan(op, Some(axis), call)) {
            return scanned;
        }
        let dtype = op.output_dtype(self.dtype());
        let (shape, body) = (self.layout.shape, library::scan::scan(op, axis as u8));
        View::made(&self.core, (dtype, shape), body, &[self.into()], call)
    }
}
