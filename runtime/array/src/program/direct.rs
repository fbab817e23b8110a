//! Small operations at once, for front ends that leave what cannot be had so to an operation.

use super::{DynArray, ValueRef};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::lower::View;
use weft_core::site::Site;

impl DynArray {
    /// An elementwise function of one array, where that can be computed at once. `None`, and nothing is done, where only an operation can
    /// do it: an operation that uses the array is under way or has failed, the array is large, operations are recorded, there are GPUs or many
    /// ranks. Likewise where the function is not of the array's dtype.
    #[track_caller]
    pub fn unary_at_once(&self, op: UnaryOp) -> Option<DynArray> {
        let call = Site::caller();
        self.view.unary_at_once(op, call).map(DynArray::from)
    }

    /// An elementwise function of two operands of one dtype, as [`unary_at_once`](Self::unary_at_once); also `None` if they do not
    /// broadcast together.
    #[track_caller]
    pub fn binary_at_once(
        op: BinaryOp,
        left: ValueRef<'_>,
        right: ValueRef<'_>,
    ) -> Option<DynArray> {
        let call = Site::caller();
        View::binary_at_once(op, left.into(), right.into(), call).map(DynArray::from)
    }

    /// Writes an elementwise function of two operands of one dtype into this array, where that can be done at once; `false`, and nothing
    /// is written, as [`unary_at_once`](Self::unary_at_once) says, and where the result has another dtype, or writing it would change
    /// what is read.
    #[track_caller]
    pub fn set_binary_at_once(
        &self,
        op: BinaryOp,
        left: ValueRef<'_>,
        right: ValueRef<'_>,
    ) -> bool {
        let call = Site::caller();
        self.view
            .set_binary_at_once(op, left.into(), right.into(), call)
    }
}
