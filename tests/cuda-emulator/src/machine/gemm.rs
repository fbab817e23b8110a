//! Products of matrices with cuBLAS's conventions: column-major.
#![allow(unsafe_code, reason = "reads and writes by address")]

use super::Machine;
use super::access::Space;
use super::code::Code;

/// `C = alpha op(A) op(B) + beta C`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gemm {
    /// Whether elements are `double`, otherwise `float`.
    pub(crate) is_double: bool,
    /// Whether inputs are rounded to TF32.
    pub(crate) is_tf32: bool,
    pub(crate) transposes: [bool; 2],
    pub(crate) m: u64,
    pub(crate) n: u64,
    pub(crate) k: u64,
    pub(crate) alpha: f64,
    pub(crate) beta: f64,
    /// Addresses and leading dimensions.
    pub(crate) a: (u64, u64),
    pub(crate) b: (u64, u64),
    pub(crate) c: (u64, u64),
}

impl Gemm {
    fn width(&self) -> u64 {
        if self.is_double { 8 } else { 4 }
    }

    /// Returns address and bytes of a matrix of `rows` rows and `columns` columns.
    fn span(&self, (start, step): (u64, u64), rows: u64, columns: u64) -> (u64, u64) {
        let elements = if rows == 0 || columns == 0 {
            0
        } else {
            step * (columns - 1) + rows
        };
        (start, elements * self.width())
    }
}

fn tf32(x: f32) -> f32 {
    // 10 bits of the mantissa stay.
    f32::from_bits(x.to_bits().wrapping_add(0x1000) & 0xffff_e000)
}

impl Machine {
    /// Computes the product, with sums in order, in the elements' type.
    pub(super) fn gemm(&mut self, gpu: usize, gemm: &Gemm) -> Result<(), Code> {
        let shaped = |transposed: bool, rows, columns| {
            if transposed {
                (columns, rows)
            } else {
                (rows, columns)
            }
        };
        let (a_rows, a_columns) = shaped(gemm.transposes[0], gemm.m, gemm.k);
        let (b_rows, b_columns) = shaped(gemm.transposes[1], gemm.k, gemm.n);
        let spans = [
            gemm.span(gemm.a, a_rows, a_columns),
            gemm.span(gemm.b, b_rows, b_columns),
            gemm.span(gemm.c, gemm.m, gemm.n),
        ];
        for (start, bytes) in spans {
            if start % gemm.width() != 0 {
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
            if gemm.is_double {
                product::<f64>(gemm, |x| x, |x| x);
            } else if gemm.is_tf32 {
                product::<f32>(gemm, |x| x as f32, tf32);
            } else {
                product::<f32>(gemm, |x| x as f32, |x| x);
            }
        }
        Ok(())
    }
}

/// # Safety
/// The matrices can be read and written.
unsafe fn product<T>(gemm: &Gemm, scalar: impl Fn(f64) -> T, taken: impl Fn(T) -> T)
where
    T: Copy + std::ops::Mul<Output = T> + std::ops::Add<Output = T>,
{
    let at = |(start, step): (u64, u64), transposed: bool, row: u64, column: u64| {
        let (row, column) = if transposed {
            (column, row)
        } else {
            (row, column)
        };
        (start as *mut T).wrapping_add((row + column * step) as usize)
    };
    for column in 0..gemm.n {
        for row in 0..gemm.m {
            let mut sum = scalar(0.0);
            for inner in 0..gemm.k {
                let a = at(gemm.a, gemm.transposes[0], row, inner);
                let b = at(gemm.b, gemm.transposes[1], inner, column);
                // SAFETY: inside the matrices, by the caller's promise.
                sum = sum + unsafe { taken(a.read()) * taken(b.read()) };
            }
            let c = at(gemm.c, false, row, column);
            let mut result = scalar(gemm.alpha) * sum;
            if gemm.beta != 0.0 {
                // SAFETY: as above.
                result = result + scalar(gemm.beta) * unsafe { c.read() };
            }
            // SAFETY: as above.
            unsafe { c.write(result) };
        }
    }
}
