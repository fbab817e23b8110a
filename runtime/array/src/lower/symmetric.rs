//! The product of a matrix and its own transpose, which is symmetric. Half of it is computed, and
//! the rest is mirrored.

use std::sync::Arc;

use smallvec::smallvec;

use super::{View, checked};
use crate::library;
use weft_core::error::CallError;
use weft_core::operation::{self, Request};

/// The fewest rows for which mirroring is cheap compared with the multiplication.
const LEAST_ROWS: usize = 256;

/// The fewest terms of an element for which mirroring is cheap compared with the multiplication.
const LEAST_TERMS: usize = 64;

/// The number of blocks of rows. With `b` of them, `(b + 1) / 2b` of the elements are computed.
const BLOCKS: usize = 8;

impl View {
    /// Whether `self right` is a large product of a real matrix and its transpose, on a machine
    /// whose processors multiply. GPUs compute the whole product in one kernel.
    pub(super) fn makes_symmetric(&self, right: &View) -> bool {
        let &[rows, terms] = self.dims() else {
            return false;
        };
        Arc::ptr_eq(&self.store, &right.store)
            && self.layout == right.layout.transpose()
            && self.dtype().is_float()
            && rows >= LEAST_ROWS
            && terms >= LEAST_TERMS
            && !self.core.has_gpus()
    }

    /// Returns the product of this matrix and its transpose `right`.
    pub(super) fn symmetric_product(&self, right: &View) -> Result<View, CallError> {
        let (rows, inner) = (self.dims()[0], self.dims()[1]);
        let shape = checked(&[rows, rows])?;
        let out = View::unwritten(&self.core, self.dtype(), shape)?;
        let part = |view: &View, lo: [usize; 2], hi: [usize; 2]| {
            view.with_layout(view.layout.tile(&lo, &hi))
        };
        let step = rows.div_ceil(BLOCKS);
        let mut parent = None;
        // For each block of rows, the elements on the diagonal and to the right of it.
        for first in (0..rows).step_by(step) {
            let end = rows.min(first + step);
            let to = part(&out, [first, first], [end, rows]);
            let (left, right) = (
                part(self, [first, 0], [end, inner]),
                part(right, [0, first], [inner, rows]),
            );
            let body = library::linear::matmul(inner);
            let operands = smallvec![left.operand(), right.operand(), to.operand(),];
            let request = Request::new(body, to.layout.shape, operands);
            let uid = self.core.submit(request.part_of(parent))?;
            parent.get_or_insert(uid);
        }
        for first in (0..rows).step_by(step) {
            let end = rows.min(first + step);
            if end < rows {
                let from = part(&out, [first, end], [end, rows]);
                let mirrored = from.with_layout(from.layout.transpose());
                let to = part(&out, [end, first], [rows, end]);
                let operands = smallvec![mirrored.operand(), to.operand(),];
                let request = Request::new(operation::copy(), to.layout.shape, operands);
                self.core.submit(request.part_of(parent))?;
            }
        }
        Ok(out)
    }
}
