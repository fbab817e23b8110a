//! Types whose matrices can be factored.
//!
//! ```
//! use weft_numeric::{Field, Mat};
//!
//! let a = Mat::from_fn(2, 2, |row, column| if row == column { 2.0 } else { 1.0 });
//! assert!((f64::det(a.as_ref()) - 3.0).abs() < 1e-15);
//! ```

pub use crate::defect::Defect;
use crate::{orthogonal, pivoted};
pub use faer::{Mat, MatMut, MatRef};
use num_complex::Complex;

/// Defines [`Field`] and implements it for each type, from one list of functions.
macro_rules! field {
    ($types:tt $($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*) -> $out:ty = $path:path;)*) => {
        /// A type whose matrices can be factored.
        ///
        /// Matrices may be in any memory order; each function copies its input. A matrix without
        /// rows or columns also has a result if that is defined.
        pub trait Field: Copy + 'static {
            /// The type of magnitudes.
            type Real: Copy + 'static;

            /// The type of eigenvalues.
            type Complex: Copy + 'static;

            $($(#[$doc])*
            fn $name($($arg: $type),*) -> $out;)*
        }

        field!(@each $types [$(fn $name($($arg: $type),*) -> $out = $path;)*]);
    };
    (@each [$($own:ty: $real:ty),*] $functions:tt) => {
        $(field!(@one $own, $real, $functions);)*
    };
    (@one $own:ty, $real:ty, [$(fn $name:ident($($arg:ident: $type:ty),*) -> $out:ty = $path:path;)*]) => {
        impl Field for $own {
            type Real = $real;
            type Complex = Complex<$real>;

            $(fn $name($($arg: $type),*) -> $out {
                $path($($arg),*)
            })*
        }
    };
}

field! {
    [f32: f32, f64: f64, Complex<f32>: f32, Complex<f64>: f64]

    /// Writes the solution of `a x = b`, for each column of `b`. `a` is square.
    ///
    /// # Errors
    /// Returns an error if it is singular.
    fn solve(a: MatRef<'_, Self>, b: MatRef<'_, Self>, x: MatMut<'_, Self>) -> Result<(), Defect> = pivoted::solve;

    /// Writes the inverse. `a` is square.
    ///
    /// # Errors
    /// Returns an error if it is singular.
    fn inv(a: MatRef<'_, Self>, out: MatMut<'_, Self>) -> Result<(), Defect> = pivoted::inv;

    /// The determinant; 1 for a matrix without elements. `a` is square.
    ///
    /// The exponent of the product is kept separately, so that the product overflows only if the
    /// determinant does.
    fn det(a: MatRef<'_, Self>) -> Self = pivoted::det;

    /// The determinant's sign (of magnitude 1, or 0) and the logarithm of its magnitude. `a` is
    /// square.
    fn slogdet(a: MatRef<'_, Self>) -> (Self, Self::Real) = pivoted::slogdet;

    /// Writes the lower triangular `l` of `a = l l^H`. `a` is square; its lower triangle is read.
    ///
    /// # Errors
    /// Returns an error if it is not positive definite.
    fn cholesky(a: MatRef<'_, Self>, l: MatMut<'_, Self>) -> Result<(), Defect> = pivoted::cholesky;

    /// Writes orthonormal columns and an upper triangle with `a = q r`, as many columns and rows as
    /// the shorter side of `a`.
    fn qr(a: MatRef<'_, Self>, q: MatMut<'_, Self>, r: MatMut<'_, Self>) -> () = orthogonal::qr;

    /// Writes singular vectors and values, the largest first, with `a = u diag(s) vt`. The shapes
    /// of the outputs select all vectors, or one for each value.
    ///
    /// # Errors
    /// Returns an error if elements are not finite, or the iteration does not end.
    fn svd(
        a: MatRef<'_, Self>, u: MatMut<'_, Self>, s: MatMut<'_, Self::Real>, vt: MatMut<'_, Self>
    ) -> Result<(), Defect> = orthogonal::svd;

    /// Writes the singular values, the largest first.
    ///
    /// # Errors
    /// Returns an error if elements are not finite, or the iteration does not end.
    fn svdvals(a: MatRef<'_, Self>, s: MatMut<'_, Self::Real>) -> Result<(), Defect> = orthogonal::svdvals;

    /// Writes the eigenvalues, the smallest first, and eigenvectors as columns. `a` is square; its
    /// lower triangle is read.
    ///
    /// # Errors
    /// Returns an error if elements are not finite, or the iteration does not end.
    fn eigh(
        a: MatRef<'_, Self>, values: MatMut<'_, Self::Real>, vectors: MatMut<'_, Self>
    ) -> Result<(), Defect> = orthogonal::eigh;

    /// Writes the eigenvalues, the smallest first. `a` is square; its lower triangle is read.
    ///
    /// # Errors
    /// Returns an error if elements are not finite, or the iteration does not end.
    fn eigvalsh(a: MatRef<'_, Self>, values: MatMut<'_, Self::Real>) -> Result<(), Defect> = orthogonal::eigvalsh;

    /// Writes the eigenvalues, in no order, and eigenvectors of length 1 as columns, the largest
    /// element of each real. `a` is square.
    ///
    /// # Errors
    /// Returns an error if elements are not finite, or the iteration does not end.
    fn eig(
        a: MatRef<'_, Self>, values: MatMut<'_, Self::Complex>, vectors: MatMut<'_, Self::Complex>
    ) -> Result<(), Defect> = orthogonal::eig;

    /// Writes the eigenvalues, in no order. `a` is square.
    ///
    /// # Errors
    /// Returns an error if elements are not finite, or the iteration does not end.
    fn eigvals(a: MatRef<'_, Self>, values: MatMut<'_, Self::Complex>) -> Result<(), Defect> = orthogonal::eigvals;

    /// Writes the least-squares solution `x` of `a x = b` with the smallest norm, and the singular
    /// values. Returns the rank; singular values up to `cutoff` times the largest count as 0.
    ///
    /// # Errors
    /// Returns an error if elements are not finite, or the iteration does not end.
    fn lstsq(
        a: MatRef<'_, Self>, b: MatRef<'_, Self>, x: MatMut<'_, Self>, s: MatMut<'_, Self::Real>, cutoff: f64
    ) -> Result<i64, Defect> = orthogonal::lstsq;
}
