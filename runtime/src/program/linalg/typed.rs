//! Calls on arrays of a known type.

use std::panic::Location;

use crate::dtype::{Complex, Element, Inexact};
use crate::error::{Error, at_call};
use crate::program::Array;

/// Types whose matrices can be taken apart.
pub trait Linear: Inexact {}

impl Linear for f32 {}
impl Linear for f64 {}
impl Linear for Complex<f32> {}
impl Linear for Complex<f64> {}

/// Arrays of what `DynArray`'s forms give.
trait Typed {
    /// The same without types.
    type Dynamic;

    fn typed(arrays: Self::Dynamic) -> Self;
}

impl<T: Element> Typed for Array<T> {
    type Dynamic = crate::DynArray;

    fn typed(array: Self::Dynamic) -> Self {
        Array::wrap(array)
    }
}

impl<A: Typed, B: Typed> Typed for (A, B) {
    type Dynamic = (A::Dynamic, B::Dynamic);

    fn typed((a, b): Self::Dynamic) -> Self {
        (A::typed(a), B::typed(b))
    }
}

impl<A: Typed, B: Typed, C: Typed> Typed for (A, B, C) {
    type Dynamic = (A::Dynamic, B::Dynamic, C::Dynamic);

    fn typed((a, b, c): Self::Dynamic) -> Self {
        (A::typed(a), B::typed(b), C::typed(c))
    }
}

macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident, $try_name:ident = $dynamic:ident($($other:ident)? $(; $option:ident: $type:ty)?) -> $out:ty, $mistakes:literal;)*) => {
        $($(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("At the caller's line, where ", $mistakes, ".")]
        #[track_caller]
        #[must_use]
        pub fn $name<T: Linear>(a: &Array<T>, $($other: &Array<T>,)? $($option: $type)?) -> $out {
            at_call($try_name(a, $($other,)? $($option)?))
        }

        #[doc = concat!("[`", stringify!($name), "`], with mistakes returned.")]
        ///
        /// # Errors
        #[doc = concat!("Where ", $mistakes, ".")]
        #[track_caller]
        pub fn $try_name<T: Linear>(a: &Array<T>, $($other: &Array<T>,)? $($option: $type)?) -> Result<$out, Error> {
            let call = Location::caller();
            Ok(Typed::typed(a.as_dyn().$dynamic($($other.as_dyn(),)? $($option,)? call)?))
        })*
    };
}

calls! {
    /// The solution `x` of `a x = b`: for a vector `b` a vector, else for each column of `b` one. A singular `a` is a failure.
    solve, try_solve = solve_by(b) -> Array<T>, "`a` is not a square matrix or a stack of them, or shapes do not match";
    /// The inverse of a matrix. A singular one is a failure.
    inv, try_inv = inv_by() -> Array<T>, "`a` is not a square matrix or a stack of them";
    /// The determinant; where the product of its factors would overflow on the way it does not.
    det, try_det = det_by() -> Array<T>, "`a` is not a square matrix or a stack of them";
    /// The sign of the determinant and the logarithm of its magnitude: 0 and minus infinity where it is 0.
    slogdet, try_slogdet = slogdet_by() -> (Array<T>, Array<T::Magnitude>), "`a` is not a square matrix or a stack of them";
    /// The lower triangular `l` with a positive diagonal and `a = l l^H`. Of `a` the lower triangle is read. It is a failure where `a`
    /// is not positive definite.
    cholesky, try_cholesky = cholesky_by() -> Array<T>, "`a` is not a square matrix or a stack of them";
    /// Orthonormal columns `q` and an upper triangle `r` with `a = q r`, as many columns and rows as the shorter side of `a`:
    /// NumPy's mode `reduced`. Signs are not fixed.
    qr, try_qr = qr_by() -> (Array<T>, Array<T>), "`a` is not a matrix or a stack of them";
    /// Singular vectors and values `(u, s, vt)` with `a = u diag(s) vt`, the largest value first: as many vectors as values, or with
    /// `full_matrices` as many as make a square matrix. Signs are not fixed. Elements that are not finite are a failure.
    svd, try_svd = svd_by(; full_matrices: bool) -> (Array<T>, Array<T::Magnitude>, Array<T>), "`a` is not a matrix or a stack of them";
    /// The singular values, the largest first. Elements that are not finite are a failure.
    svdvals, try_svdvals = svdvals_by() -> Array<T::Magnitude>, "`a` is not a matrix or a stack of them";
    /// The eigenvalues, the smallest first, and the eigenvectors as columns of a symmetric (complex: Hermitian) matrix, of which
    /// the lower triangle is read. Signs are not fixed. Elements that are not finite are a failure.
    eigh, try_eigh = eigh_by() -> (Array<T::Magnitude>, Array<T>), "`a` is not a square matrix or a stack of them";
    /// The eigenvalues of a symmetric (complex: Hermitian) matrix, the smallest first. The lower triangle is read. Elements
    /// that are not finite are a failure.
    eigvalsh, try_eigvalsh = eigvalsh_by() -> Array<T::Magnitude>, "`a` is not a square matrix or a stack of them";
    /// Of all `x` for which `a x` is nearest to `b` the shortest, with the rank of `a` and its singular values. Values up to `rcond`
    /// times the largest count as 0; without it, up to that of the dtype times the longer side, as in NumPy.
    lstsq, try_lstsq = lstsq_by(b; rcond: Option<f64>) -> (Array<T>, Array<i64>, Array<T::Magnitude>), "`a` is not a matrix or a stack of them, or shapes do not match";
    /// A square matrix times itself, `power` factors in all: the identity for 0, products of the inverse for less.
    matrix_power, try_matrix_power = matrix_power_by(; power: i64) -> Array<T>, "`a` is not a square matrix";
}
