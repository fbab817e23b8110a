//! Calls on arrays of a known type.

use crate::dtype::{Complex, Element, Inexact};
use crate::program::{Array, DynArray};
use weft_core::error::{Error, at_call};

/// Element types of linear algebra.
pub trait Linear: Inexact {}

impl Linear for f32 {}
impl Linear for f64 {}
impl Linear for Complex<f32> {}
impl Linear for Complex<f64> {}

/// Arrays or tuples of arrays of a known type.
trait Typed {
    /// The untyped form, as returned by `DynArray`'s methods.
    type Dynamic;

    fn typed(arrays: Self::Dynamic) -> Self;
}

impl<T: Element> Typed for Array<T> {
    type Dynamic = DynArray;

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
        #[doc = concat!("Panics at the caller's line if ", $mistakes, ".")]
        #[track_caller]
        #[must_use]
        pub fn $name<T: Linear>(a: &Array<T>, $($other: &Array<T>,)? $($option: $type)?) -> $out {
            at_call($try_name(a, $($other,)? $($option)?))
        }

        #[doc = concat!("Like [`", stringify!($name), "`], but returns errors.")]
        ///
        /// # Errors
        #[doc = concat!("Returns an error if ", $mistakes, ".")]
        #[track_caller]
        pub fn $try_name<T: Linear>(a: &Array<T>, $($other: &Array<T>,)? $($option: $type)?) -> Result<$out, Error> {
            Ok(Typed::typed(a.as_dyn().$dynamic($($other.as_dyn(),)? $($option)?)?))
        })*
    };
}

calls! {
    /// The solution `x` of `a x = b`: a vector for a vector `b`, otherwise one for each column of
    /// `b`. Fails if `a` is singular.
    solve, try_solve = solve(b) -> Array<T>, "`a` is not a square matrix or a stack of them, or shapes do not match";
    /// The inverse of a matrix. Fails if it is singular.
    inv, try_inv = inv() -> Array<T>, "`a` is not a square matrix or a stack of them";
    /// The determinant, without overflow of intermediate products.
    det, try_det = det() -> Array<T>, "`a` is not a square matrix or a stack of them";
    /// The sign of the determinant and the logarithm of its magnitude: 0 and minus infinity if it
    /// is 0.
    slogdet, try_slogdet = slogdet() -> (Array<T>, Array<T::Magnitude>), "`a` is not a square matrix or a stack of them";
    /// The lower triangular `l` with a positive diagonal and `a = l l^H`. Only the lower triangle
    /// of `a` is read. Fails if `a` is not positive definite.
    cholesky, try_cholesky = cholesky() -> Array<T>, "`a` is not a square matrix or a stack of them";
    /// Orthonormal columns `q` and an upper triangular matrix `r` with `a = q r`, as NumPy's mode
    /// `reduced`. The number of columns of `q`, and of rows of `r`, is that of the shorter side of
    /// `a`. Signs are not fixed.
    qr, try_qr = qr() -> (Array<T>, Array<T>), "`a` is not a matrix or a stack of them";
    /// Singular vectors and values `(u, s, vt)` with `a = u diag(s) vt`, the largest value first.
    /// There is one vector for each value, or with `full_matrices` a square matrix of vectors.
    /// Signs are not fixed. Fails if an element is not finite.
    svd, try_svd = svd(; full_matrices: bool) -> (Array<T>, Array<T::Magnitude>, Array<T>), "`a` is not a matrix or a stack of them";
    /// The singular values, the largest first. Fails if an element is not finite.
    svdvals, try_svdvals = svdvals() -> Array<T::Magnitude>, "`a` is not a matrix or a stack of them";
    /// The eigenvalues, the smallest first, and the eigenvectors as columns, of a symmetric
    /// (complex: Hermitian) matrix. Only the lower triangle is read. Signs are not fixed. Fails if
    /// an element is not finite.
    eigh, try_eigh = eigh() -> (Array<T::Magnitude>, Array<T>), "`a` is not a square matrix or a stack of them";
    /// The eigenvalues of a symmetric (complex: Hermitian) matrix, the smallest first. Only the
    /// lower triangle is read. Fails if an element is not finite.
    eigvalsh, try_eigvalsh = eigvalsh() -> Array<T::Magnitude>, "`a` is not a square matrix or a stack of them";
    /// The eigenvalues, in no order, and eigenvectors of length 1 as columns. They are complex,
    /// even for a real matrix. Fails if an element is not finite.
    eig, try_eig = eig() -> (Array<T::Complex>, Array<T::Complex>), "`a` is not a square matrix or a stack of them";
    /// The eigenvalues, in no order. They are complex, even for a real matrix. Fails if an element
    /// is not finite.
    eigvals, try_eigvals = eigvals() -> Array<T::Complex>, "`a` is not a square matrix or a stack of them";
    /// The least-squares solution `x` of `a x = b` with the smallest norm, with the rank of `a` and
    /// its singular values. Singular values up to `rcond` times the largest count as 0; by default,
    /// `rcond` is the dtype's epsilon times the longer side, as in NumPy.
    lstsq, try_lstsq = lstsq(b; rcond: Option<f64>) -> (Array<T>, Array<i64>, Array<T::Magnitude>), "`a` is not a matrix or a stack of them, or shapes do not match";
    /// The matrix power: the identity for 0, powers of the inverse for negative `power`.
    matrix_power, try_matrix_power = matrix_power(; power: i64) -> Array<T>, "`a` is not a square matrix";
}
