//! Comparisons of integers without a common dtype.
//!
//! An integer scalar takes the array's dtype, and signed integers with `u64` become `f64`. Neither may change a
//! comparison, which compares exact values as in NumPy 2.

use super::{DynArray, Value};
use crate::dtype::{DType, Scalar};
use crate::kernel::BinaryOp;
use weft_core::error::CallError;
use weft_core::site::Site;

/// The result of a comparison, or of a function of truth values, of operands that their common dtype does not hold; `None` of
/// all others.
#[inline]
pub(super) fn compare(
    op: BinaryOp,
    left: &Value,
    right: &Value,
    common: DType,
    call: Site,
) -> Result<Option<DynArray>, CallError> {
    if !op.is_predicate() {
        return Ok(None);
    }
    match (left, right) {
        (Value::Array(array), Value::Scalar(scalar))
        | (Value::Scalar(scalar), Value::Array(array))
            if scalar.is_beyond(common) =>
        {
            if !op.is_comparison() {
                // It is not 0, and that is all that counts.
                let stand_in = |value: &Value| match value {
                    Value::Scalar(_) => Value::Scalar(Scalar::Bool(true)),
                    array => array.clone(),
                };
                return DynArray::binary_by(op, &stand_in(left), &stand_in(right), call).map(Some);
            }
            // All elements lie on one side of it.
            let is_above = scalar.integer() > Some(0);
            let is_left_smaller = is_above == matches!(left, Value::Array(_));
            let fill = Scalar::Bool(differing(op, is_left_smaller));
            DynArray::filled(&array.core, DType::Bool, array.shape(), fill, call).map(Some)
        }
        (Value::Array(a), Value::Array(b)) if op.is_comparison() => {
            let is_mixed = |signed: &DynArray, unsigned: &DynArray| {
                signed.dtype().is_signed_integer() && unsigned.dtype() == DType::U64
            };
            match (is_mixed(a, b), is_mixed(b, a)) {
                (false, false) => Ok(None),
                (is_left_signed, _) => signs(op, a, b, is_left_signed, call).map(Some),
            }
        }
        _ => Ok(None),
    }
}

/// What a comparison says of numbers that differ.
fn differing(op: BinaryOp, is_left_smaller: bool) -> bool {
    match op {
        BinaryOp::Equal => false,
        BinaryOp::NotEqual => true,
        BinaryOp::Less | BinaryOp::LessEqual => is_left_smaller,
        _ => !is_left_smaller,
    }
}

/// A comparison of signed integers with `u64`: those below 0 are smaller than all of these, others are compared as `u64`.
fn signs(
    op: BinaryOp,
    left: &DynArray,
    right: &DynArray,
    is_left_signed: bool,
    call: Site,
) -> Result<DynArray, CallError> {
    let signed = if is_left_signed { left } else { right };
    let is_negative = signed.with(BinaryOp::Less, Scalar::zero(signed.dtype()), call)?;
    let unsigned =
        left.cast_by(DType::U64, call)?
            .with(op, &right.cast_by(DType::U64, call)?, call)?;
    let answer = Value::Scalar(Scalar::Bool(differing(op, is_left_signed)));
    DynArray::select_by(&is_negative, &answer, &Value::Array(unsigned), call)
}
