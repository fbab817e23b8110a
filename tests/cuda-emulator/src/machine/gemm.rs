//! Products of matrices with cuBLAS's conventions: column-major.
#![allow(unsafe_code, reason = "reads and writes by address")]

use num_complex::{Complex32, Complex64};

use super::Machine;
use super::access::Space;
use super::code::Code;
use super::solver::Elements;

/// `cublasOperation_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transposition {
    No,
    Yes,
    Conjugated,
}

impl Transposition {
    pub(crate) fn new(number: u32) -> Option<Transposition> {
        match number {
            0 => Some(Transposition::No),
            1 => Some(Transposition::Yes),
            2 => Some(Transposition::Conjugated),
            _ => None,
        }
    }
}

/// `C = alpha op(A) op(B) + beta C`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gemm {
    pub(crate) elements: Elements,
    /// Whether inputs are rounded to TF32.
    pub(crate) is_tf32: bool,
    pub(crate) transposes: [Transposition; 2],
    pub(crate) m: u64,
    pub(crate) n: u64,
    pub(crate) k: u64,
    /// Real and imaginary part.
    pub(crate) alpha: [f64; 2],
    pub(crate) beta: [f64; 2],
    /// Addresses and leading dimensions.
    pub(crate) a: (u64, u64),
    pub(crate) b: (u64, u64),
    pub(crate) c: (u64, u64),
}

impl Gemm {
    /// Returns address and bytes of a matrix of `rows` rows and `columns` columns.
    fn span(&self, (start, step): (u64, u64), rows: u64, columns: u64) -> (u64, u64) {
        let elements = if rows == 0 || columns == 0 {
            0
        } else {
            step * (columns - 1) + rows
        };
        (start, elements * self.elements.width())
    }
}

fn tf32(x: f32) -> f32 {
    // 10 bits of the mantissa stay.
    f32::from_bits(x.to_bits().wrapping_add(0x1000) & 0xffff_e000)
}

impl Machine {
    /// Computes the product, with sums in order, in the elements' type.
    pub(super) fn gemm(&mut self, gpu: usize, gemm: &Gemm) -> Result<(), Code> {
        let shaped = |transposition, rows, columns| match transposition {
            Transposition::No => (rows, columns),
            _ => (columns, rows),
        };
        let (a_rows, a_columns) = shaped(gemm.transposes[0], gemm.m, gemm.k);
        let (b_rows, b_columns) = shaped(gemm.transposes[1], gemm.k, gemm.n);
        let spans = [
            gemm.span(gemm.a, a_rows, a_columns),
            gemm.span(gemm.b, b_rows, b_columns),
            gemm.span(gemm.c, gemm.m, gemm.n),
        ];
        for (start, bytes) in spans {
            if start % gemm.elements.width() != 0 {
                return Err(Code::MISALIGNED_ADDRESS);
            }
            match self.place(start, bytes)? {
                Space::Device(owner) if owner == gpu || self.gpus[gpu].peers.contains(&owner) => {}
                Space::Pinned | Space::Managed => {}
                _ if bytes == 0 => {}
                _ => return Err(Code::ILLEGAL_ADDRESS),
            }
        }
        self.open_for(gpu);
        // SAFETY: the ranges are allocated for this GPU, open and aligned.
        unsafe {
            match (gemm.elements.is_double, gemm.elements.is_complex) {
                (true, false) => product::<f64>(gemm, |[re, _]| re, |x| x, |x| x),
                (true, true) => {
                    product::<Complex64>(
                        gemm,
                        |[re, im]| Complex64::new(re, im),
                        |x| x,
                        |x| x.conj(),
                    );
                }
                (false, false) => {
                    let taken = |x| if gemm.is_tf32 { tf32(x) } else { x };
                    product::<f32>(gemm, |[re, _]| re as f32, taken, |x| x);
                }
                (false, true) => {
                    let part = |x| if gemm.is_tf32 { tf32(x) } else { x };
                    let taken = |x: Complex32| Complex32::new(part(x.re), part(x.im));
                    let scalar = |[re, im]: [f64; 2]| Complex32::new(re as f32, im as f32);
                    product::<Complex32>(gemm, scalar, taken, |x| x.conj());
                }
            }
        }
        Ok(())
    }
}

/// # Safety
/// The matrices can be read and written.
unsafe fn product<T>(
    gemm: &Gemm,
    scalar: impl Fn([f64; 2]) -> T,
    taken: impl Fn(T) -> T,
    conjugated: impl Fn(T) -> T,
) where
    T: Copy + std::ops::Mul<Output = T> + std::ops::Add<Output = T>,
{
    let at = |(start, step): (u64, u64), row: u64, column: u64| {
        (start as *mut T).wrapping_add((row + column * step) as usize)
    };
    let read = |matrix, transposition, row, column| {
        let (row, column) = match transposition {
            Transposition::No => (row, column),
            _ => (column, row),
        };
        // SAFETY: inside the matrix, by the caller's promise.
        let value = taken(unsafe { at(matrix, row, column).read() });
        match transposition {
            Transposition::Conjugated => conjugated(value),
            _ => value,
        }
    };
    for column in 0..gemm.n {
        for row in 0..gemm.m {
            let mut sum = scalar([0.0; 2]);
            for inner in 0..gemm.k {
                let a = read(gemm.a, gemm.transposes[0], row, inner);
                let b = read(gemm.b, gemm.transposes[1], inner, column);
                sum = sum + a * b;
            }
            let c = at(gemm.c, row, column);
            let mut result = scalar(gemm.alpha) * sum;
            if gemm.beta != [0.0; 2] {
                // SAFETY: as above.
                result = result + scalar(gemm.beta) * unsafe { c.read() };
            }
            // SAFETY: as above.
            unsafe { c.write(result) };
        }
    }
}
