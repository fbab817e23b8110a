//! Comparisons of integers without a common dtype.
//!
//! An integer scalar takes the view's dtype, and signed integers with `u64` become `f64`. Neither
//! may change a comparison, which compares exact values as in NumPy 2.

use super::{Input, View};
use crate::dtype::{DType, Scalar};
use crate::kernel::BinaryOp;
use weft_core::error::CallError;

/// Computes a comparison, or a function of truth values, of inputs that their common dtype cannot
/// represent. Returns `None` for all others.
#[inline]
pub(crate) fn compare(
    op: BinaryOp,
    left: Input<'_>,
    right: Input<'_>,
    common: DType,
) -> Result<Option<View>, CallError> {
    if !op.is_predicate() {
        return Ok(None);
    }
    match (left, right) {
        (Input::View(view), Input::Scalar(scalar)) | (Input::Scalar(scalar), Input::View(view))
            if scalar.is_beyond(common) =>
        {
            if !op.is_comparison() {
                // Only that it is not 0 matters.
                let stand_in = |input| match input {
                    Input::Scalar(_) => Input::Scalar(Scalar::Bool(true)),
                    view => view,
                };
                return View::binary(op, stand_in(left), stand_in(right)).map(Some);
            }
            // All elements are on one side of it.
            let is_above = scalar.integer() > Some(0);
            let is_left_smaller = is_above == matches!(left, Input::View(_));
            let fill = Scalar::Bool(differing(op, is_left_smaller));
            View::filled(&view.core, DType::Bool, view.dims(), fill).map(Some)
        }
        (Input::View(a), Input::View(b)) if op.is_comparison() => {
            let is_mixed = |signed: &View, unsigned: &View| {
                signed.dtype().is_signed_integer() && unsigned.dtype() == DType::U64
            };
            match (is_mixed(a, b), is_mixed(b, a)) {
                (false, false) => Ok(None),
                (is_left_signed, _) => signs(op, a, b, is_left_signed).map(Some),
            }
        }
        _ => Ok(None),
    }
}

/// Returns the result of a comparison of different numbers.
fn differing(op: BinaryOp, is_left_smaller: bool) -> bool {
    match op {
        BinaryOp::Equal => false,
        BinaryOp::NotEqual => true,
        BinaryOp::Less | BinaryOp::LessEqual => is_left_smaller,
        _ => !is_left_smaller,
    }
}

/// Compares signed integers with `u64`: those below 0 are smaller than all others, and the rest are
/// compared as `u64`.
fn signs(op: BinaryOp, left: &View, right: &View, is_left_signed: bool) -> Result<View, CallError> {
    let signed = if is_left_signed { left } else { right };
    let is_negative = signed.with(BinaryOp::Less, Scalar::zero(signed.dtype()))?;
    let unsigned = left.cast(DType::U64)?.with(op, &right.cast(DType::U64)?)?;
    let answer = Scalar::Bool(differing(op, is_left_signed));
    View::select(&is_negative, answer, &unsigned)
}
