//! Small operations at once, for front ends that fall back to an operation.

use super::{DynArray, ValueRef};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::lower::View;
use weft_core::site::Site;

impl DynArray {
    /// Computes an elementwise function of one array at once. Returns `None` and does nothing if
    /// only an operation can do it: an operation that uses the array is under way or has failed,
    /// the array is large, operations are recorded, or there are GPUs or several ranks. Also
    /// returns `None` if the function is not defined for the array's dtype.
    #[track_caller]
    pub fn unary_at_once(&self, op: UnaryOp) -> Option<DynArray> {
        let _call = Site::enter_caller();
        self.view.unary_at_once(op).map(DynArray::from)
    }

    /// Computes an elementwise function of two operands of one dtype at once. Returns `None` like
    /// [`unary_at_once`](Self::unary_at_once), and if they do not broadcast together.
    #[track_caller]
    pub fn binary_at_once(
        op: BinaryOp,
        left: ValueRef<'_>,
        right: ValueRef<'_>,
    ) -> Option<DynArray> {
        let _call = Site::enter_caller();
        View::binary_at_once(op, left.into(), right.into()).map(DynArray::from)
    }

    /// Writes an elementwise function of two operands of one dtype into this array at once. Returns
    /// `false` and writes nothing in the cases of [`unary_at_once`](Self::unary_at_once), if the
    /// result has another dtype, or if writing would change elements before they are read.
    #[track_caller]
    pub fn set_binary_at_once(
        &self,
        op: BinaryOp,
        left: ValueRef<'_>,
        right: ValueRef<'_>,
    ) -> bool {
        let _call = Site::enter_caller();
        self.view.set_binary_at_once(op, left.into(), right.into())
    }
}
