//! Complex products, computed by separate crates.

use super::{Arranged, Factor, Operand, call};
use crate::dtype::Complex;
use gemm_common::Parallelism;

macro_rules! complex {
    ($($real:ty: $function:path),+) => {$(
        impl Factor for Complex<$real> {
            unsafe fn multiply(out: Operand<Self>, a: Operand<Self>, b: Operand<Self>, sizes: [usize; 3]) {
                let (arranged, function) = (Arranged::new(out, a, b, sizes), $function());
                let (zero, one) = (Complex::new(0.0, 0.0), Complex::new(1.0, 0.0));
                // SAFETY: the caller's promise.
                unsafe { call!(function, arranged, None, one, zero) }
            }
        }
    )+};
}

complex!(f32: gemm_c32::gemm::f32::get_gemm_fn, f64: gemm_c64::gemm::f64::get_gemm_fn);
