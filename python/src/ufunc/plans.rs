//! The plans of calls of universal functions that have been resolved so far.

use std::sync::atomic::{AtomicU32, Ordering};

use weft::dtype::DType;

use super::Plan;
use super::op::Op;
use crate::operand::{Code, WEAK_COMPLEX};

/// Number of types of an operand.
const CODES: usize = WEAK_COMPLEX as usize + 1;

/// Plans in words, by function and the types of its two operands. A word of 0 is unknown.
static PLANS: [AtomicU32; Op::COUNT * CODES * CODES] =
    [const { AtomicU32::new(0) }; Op::COUNT * CODES * CODES];

/// The word of a call that Weft lacks a dtype for.
const ABSENT: u32 = 1;
/// Set in the words of plans.
const PRESENT: u32 = 2;
/// Set if Weft has code for the dtypes.
const NATIVE: u32 = 4;
/// Number of bits of a dtype, and of the flags below the dtypes.
const BITS: u32 = 8;

fn word(op: Op, codes: [Code; 2]) -> &'static AtomicU32 {
    let [left, right] = codes.map(usize::from);
    &PLANS[(op.index() * CODES + left) * CODES + right]
}

/// Returns the plan of a call, if it was resolved before: `Some(None)` if Weft lacks a dtype.
#[inline]
pub(super) fn get(op: Op, codes: [Code; 2]) -> Option<Option<Plan>> {
    let word = word(op, codes).load(Ordering::Relaxed);
    if word & PRESENT == 0 {
        return (word == ABSENT).then_some(None);
    }
    let dtype = |at: u32| DType::ALL[(word >> (BITS * (at + 1)) & 0xff) as usize];
    Some(Some(Plan {
        inputs: [dtype(0), dtype(1)],
        output: dtype(2),
        is_native: word & NATIVE != 0,
    }))
}

/// Keeps the plan of a call.
pub(super) fn set(op: Op, codes: [Code; 2], plan: Option<Plan>) {
    let bits = plan.map_or(ABSENT, |plan| {
        let [left, right] = plan.inputs;
        let dtypes = [plan.output, right, left].map(crate::dtype::index);
        let dtypes = dtypes
            .iter()
            .fold(0, |bits, dtype| bits << BITS | u32::from(*dtype));
        let native = if plan.is_native { NATIVE } else { 0 };
        dtypes << BITS | native | PRESENT
    });
    word(op, codes).store(bits, Ordering::Relaxed);
}
