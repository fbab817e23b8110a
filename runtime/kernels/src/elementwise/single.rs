//! Functions of single values.
//!
//! The results have the same bits as those of [`unary`](super::unary) and [`binary`](super::binary)
//! for elements of arrays, since the loops are the same.

#![allow(unsafe_code, reason = "calls loops on values on the stack")]

use crate::dtype::{Scalar, ScalarBits};
use crate::nest::Run;
use crate::{BinaryOp, UnaryOp};

/// Computes a function of one value; `None` if it is not defined for its dtype.
pub fn unary_of_one(op: UnaryOp, input: Scalar) -> Option<Scalar> {
    let dtype = input.dtype();
    let result = op.output_dtype(dtype)?;
    let block = op.declaration().block(dtype)?;
    let (mut input, mut out) = (ScalarBits::from_scalar(&input), ScalarBits::default());
    // SAFETY: both have room for every dtype and are aligned for it. The input is initialised, and
    // they are distinct.
    unsafe {
        block(Run {
            at: [input.bytes.as_mut_ptr(), out.bytes.as_mut_ptr()],
            steps: [dtype.size() as isize, result.size() as isize],
            count: 1,
        });
    }
    Some(out.scalar(result))
}

/// Computes a function of two values. Returns `None` if their dtypes differ, the function is not
/// defined for them, or it is an integer to a negative power.
pub fn binary_of_one(op: BinaryOp, left: Scalar, right: Scalar) -> Option<Scalar> {
    let dtype = left.dtype();
    if right.dtype() != dtype {
        return None;
    }
    if op == BinaryOp::Pow && right.integer().is_some_and(|exponent| exponent < 0) {
        return None;
    }
    let result = op.output_dtype(dtype)?;
    let block = op.declaration().block(dtype)?;
    let [mut left, mut right] = [
        ScalarBits::from_scalar(&left),
        ScalarBits::from_scalar(&right),
    ];
    let mut out = ScalarBits::default();
    let step = dtype.size() as isize;
    // SAFETY: as in `unary_of_one`.
    unsafe {
        block(Run {
            at: [
                left.bytes.as_mut_ptr(),
                right.bytes.as_mut_ptr(),
                out.bytes.as_mut_ptr(),
            ],
            steps: [step, step, result.size() as isize],
            count: 1,
        });
    }
    Some(out.scalar(result))
}
