//! Complex products by real ones.

use super::{Factor, Operand, Real, multiply_parts};
use crate::dtype::Complex;

impl<R: Real> Factor for Complex<R> {
    unsafe fn multiply(out: Operand<Self>, a: Operand<Self>, b: Operand<Self>, sizes: [usize; 3]) {
        // SAFETY: the caller's promise.
        unsafe { multiply_parts::<R>(out, a, b, sizes) }
    }
}
