//! Products of floating-point matrices by the crates of `gemm`. There is one crate for each type,
//! so that a build compiles only those it needs.
//!
//! With the feature `linalg`, whose libraries need them anyway, complex products use crates of
//! their own. Without it they are four real products of the parts, which have twice the steps.

#![allow(
    unsafe_code,
    reason = "calls functions that take operands by their addresses"
)]

#[cfg(feature = "linalg")]
mod complex;
#[cfg(not(feature = "linalg"))]
mod parts;

use crate::dtype::Complex;
use gemm_common::Parallelism;

/// An operand of a product: its first element, and the steps between columns and between rows, in
/// elements.
pub(super) struct Operand<T> {
    pub(super) first: *mut T,
    pub(super) columns: isize,
    pub(super) rows: isize,
}

impl<T> Operand<T> {
    /// Returns the address of an element.
    #[inline(always)]
    pub(super) fn at(&self, row: usize, column: usize) -> *mut T {
        let step = row as isize * self.rows + column as isize * self.columns;
        self.first.wrapping_offset(step)
    }
}

/// An element type of matrix products.
pub(super) trait Factor: Copy {
    /// Computes `out = a b` for sizes `[m, n, k]`; `a` is m by k.
    ///
    /// # Safety
    /// The operands must hold elements at all their indices, and `out` must share none with the
    /// others. No size may be 0.
    unsafe fn multiply(out: Operand<Self>, a: Operand<Self>, b: Operand<Self>, sizes: [usize; 3]);
}

/// Operands as the functions of `gemm` need them: steps of the result grow from row to row, and
/// there is no negative step in it or along the terms.
pub(super) struct Arranged<T> {
    sizes: [usize; 3],
    out: Operand<T>,
    a: Operand<T>,
    b: Operand<T>,
}

impl<T> Arranged<T> {
    fn new(out: Operand<T>, a: Operand<T>, b: Operand<T>, [m, n, k]: [usize; 3]) -> Self {
        let turned = |operand: Operand<T>| Operand {
            columns: operand.rows,
            rows: operand.columns,
            ..operand
        };
        let mut arranged = match out.columns.abs() < out.rows.abs() {
            true => Arranged {
                sizes: [n, m, k],
                out: turned(out),
                a: turned(b),
                b: turned(a),
            },
            false => Arranged {
                sizes: [m, n, k],
                out,
                a,
                b,
            },
        };
        let [m, n, k] = arranged.sizes.map(usize::cast_signed);
        let Arranged { out, a, b, .. } = &mut arranged;
        if out.rows < 0 {
            (out.first, out.rows) = (out.first.wrapping_offset((m - 1) * out.rows), -out.rows);
            (a.first, a.rows) = (a.first.wrapping_offset((m - 1) * a.rows), -a.rows);
        }
        if out.columns < 0 {
            let last = out.first.wrapping_offset((n - 1) * out.columns);
            (out.first, out.columns) = (last, -out.columns);
            let last = b.first.wrapping_offset((n - 1) * b.columns);
            (b.first, b.columns) = (last, -b.columns);
        }
        if a.columns < 0 {
            let last = a.first.wrapping_offset((k - 1) * a.columns);
            (a.first, a.columns) = (last, -a.columns);
            (b.first, b.rows) = (b.first.wrapping_offset((k - 1) * b.rows), -b.rows);
        }
        arranged
    }
}

/// Calls the function of a crate: `out = alpha out + beta a b`, without reading `out` if `alpha` is
/// `None`.
macro_rules! call {
    ($function:expr, $arranged:ident, $alpha:expr, $beta:expr, $zero:expr) => {{
        let Arranged {
            sizes: [m, n, k],
            out,
            a,
            b,
        } = $arranged;
        let alpha = $alpha;
        $function(
            m,
            n,
            k,
            out.first,
            out.columns,
            out.rows,
            alpha.is_some(),
            a.first.cast_const(),
            a.columns,
            a.rows,
            b.first.cast_const(),
            b.columns,
            b.rows,
            alpha.unwrap_or($zero),
            $beta,
            false,
            false,
            false,
            Parallelism::None,
        );
    }};
}

#[cfg(feature = "linalg")]
pub(super) use call;

/// A real type whose products can be added to a result.
pub(super) trait Real: Factor {
    const ONE: Self;
    const MINUS_ONE: Self;

    /// Computes `out = alpha out + beta a b`.
    ///
    /// # Safety
    /// See [`Factor::multiply`].
    unsafe fn add_product(arranged: Arranged<Self>, alpha: Option<Self>, beta: Self);
}

macro_rules! real {
    ($($type:ty: $function:path),+) => {$(
        impl Real for $type {
            const ONE: Self = 1.0;
            const MINUS_ONE: Self = -1.0;

            unsafe fn add_product(arranged: Arranged<Self>, alpha: Option<Self>, beta: Self) {
                let function = $function();
                // SAFETY: the caller's promise.
                unsafe { call!(function, arranged, alpha, beta, 0.0) }
            }
        }

        impl Factor for $type {
            unsafe fn multiply(out: Operand<Self>, a: Operand<Self>, b: Operand<Self>, sizes: [usize; 3]) {
                // SAFETY: the caller's promise.
                unsafe { Self::add_product(Arranged::new(out, a, b, sizes), None, 1.0) }
            }
        }
    )+};
}

real!(f32: gemm_f32::gemm::f32::get_gemm_fn, f64: gemm_f64::gemm::f64::get_gemm_fn);

/// Returns the real or imaginary parts of an operand. The two parts of an element are adjacent.
fn part<R>(operand: &Operand<Complex<R>>, is_imaginary: bool) -> Operand<R> {
    let first = operand.first.cast::<R>();
    Operand {
        first: first.wrapping_add(usize::from(is_imaginary)),
        columns: 2 * operand.columns,
        rows: 2 * operand.rows,
    }
}

/// Computes a complex product as four real ones.
///
/// # Safety
/// See [`Factor::multiply`].
pub(super) unsafe fn multiply_parts<R: Real>(
    out: Operand<Complex<R>>,
    a: Operand<Complex<R>>,
    b: Operand<Complex<R>>,
    sizes: [usize; 3],
) {
    // The part of the result, those of the factors, the factor of the present result, and that of
    // the product.
    let products = [
        (false, [false, false], None, R::ONE),
        (false, [true, true], Some(R::ONE), R::MINUS_ONE),
        (true, [false, true], None, R::ONE),
        (true, [true, false], Some(R::ONE), R::ONE),
    ];
    for (to, [of_a, of_b], alpha, beta) in products {
        let arranged = Arranged::new(part(&out, to), part(&a, of_a), part(&b, of_b), sizes);
        // SAFETY: the caller's promise; parts of disjoint elements are disjoint.
        unsafe { R::add_product(arranged, alpha, beta) }
    }
}
