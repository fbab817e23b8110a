//! Linear algebra and Fourier transforms.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::DType;
use weft::program::fft::{Along, Norm};

use crate::array::Array;
use crate::error::Raise;
use crate::{frame, ufunc};

/// The product of two matrices, or of a matrix and a vector.
#[pyfunction]
pub(crate) fn matmul(left: &Bound<'_, Array>, right: &Bound<'_, Array>) -> PyResult<Array> {
    let _entered = frame::enter(left.py());
    Ok(Array::own(
        left.get().inner()?.matmul(right.get().inner()?).raise()?,
    ))
}

/// The product of two vectors or matrices of one dtype; `None` for what is not that, or does not fit.
#[pyfunction]
pub(crate) fn product(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<Array>> {
    let (Ok(left), Ok(right)) = (left.cast::<Array>(), right.cast::<Array>()) else {
        return Ok(None);
    };
    if ufunc::is_checked() {
        return Ok(None);
    }
    let _entered = frame::enter(left.py());
    let (left, right) = (left.get().inner()?, right.get().inner()?);
    let inner = match (left.shape(), right.shape()) {
        (&[inner] | &[_, inner], &[rows] | &[rows, _]) if inner == rows => inner,
        _ => 0,
    };
    let is_plain = left.dtype() == right.dtype() && left.dtype() != DType::Bool;
    if inner == 0 || !is_plain || left.is_empty() || right.is_empty() {
        return Ok(None);
    }
    Ok(Some(Array::own(left.matmul(right).raise()?)))
}

/// The contraction of two arrays over these axes.
#[pyfunction]
pub(crate) fn tensordot(
    left: &Bound<'_, Array>,
    right: &Bound<'_, Array>,
    left_axes: Vec<usize>,
    right_axes: Vec<usize>,
) -> PyResult<Array> {
    let _entered = frame::enter(left.py());
    let made = left
        .get()
        .inner()?
        .tensordot(right.get().inner()?, &left_axes, &right_axes);
    Ok(Array::own(made.raise()?))
}

/// Einstein's sum.
#[pyfunction]
pub(crate) fn einsum(
    py: Python<'_>,
    subscripts: &str,
    arrays: Vec<Bound<'_, Array>>,
) -> PyResult<Array> {
    let _entered = frame::enter(py);
    let arrays: Vec<&DynArray> = arrays
        .iter()
        .map(|array| array.get().inner())
        .collect::<PyResult<_>>()?;
    Ok(Array::own(DynArray::einsum(subscripts, &arrays).raise()?))
}

/// Functions of one matrix, or of a stack of them, with one result or several.
macro_rules! of_matrix {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) -> $made:tt;)*) => {
        $($(#[$doc])*
        #[pyfunction]
        pub(crate) fn $name(array: &Bound<'_, Array> $(, $arg: $type)*) -> PyResult<of_matrix!(@type $made)> {
            let _entered = frame::enter(array.py());
            let made = array.get().inner()?.$name($($arg),*).raise()?;
            Ok(of_matrix!(@wrap made, $made))
        })*
    };
    (@type 1) => { Array };
    (@type 2) => { (Array, Array) };
    (@type 3) => { (Array, Array, Array) };
    (@wrap $made:ident, 1) => { Array::own($made) };
    (@wrap $made:ident, 2) => { (Array::own($made.0), Array::own($made.1)) };
    (@wrap $made:ident, 3) => {
        (Array::own($made.0), Array::own($made.1), Array::own($made.2))
    };
}

of_matrix! {
    /// The inverse.
    inv() -> 1;
    /// The determinant.
    det() -> 1;
    /// Sign and logarithm of the determinant.
    slogdet() -> 2;
    /// The lower triangle whose product with its transpose is the matrix.
    cholesky() -> 1;
    /// An orthogonal matrix and an upper triangle.
    qr() -> 2;
    /// Singular vectors and values.
    svd(full_matrices: bool) -> 3;
    /// Singular values.
    svdvals() -> 1;
    /// Eigenvalues and vectors of a symmetric matrix, of which the lower triangle counts.
    eigh() -> 2;
    /// Its eigenvalues.
    eigvalsh() -> 1;
    /// Eigenvalues and vectors of any matrix: complex ones.
    eig() -> 2;
    /// Eigenvalues of any matrix: complex ones.
    eigvals() -> 1;
}

/// The solution of linear equations.
#[pyfunction]
pub(crate) fn solve(left: &Bound<'_, Array>, right: &Bound<'_, Array>) -> PyResult<Array> {
    let _entered = frame::enter(left.py());
    Ok(Array::own(
        left.get().inner()?.solve(right.get().inner()?).raise()?,
    ))
}

/// The least squares, with residuals and rank.
#[pyfunction]
#[pyo3(signature = (left, right, rcond=None))]
pub(crate) fn lstsq(
    left: &Bound<'_, Array>,
    right: &Bound<'_, Array>,
    rcond: Option<f64>,
) -> PyResult<(Array, Array, Array)> {
    let _entered = frame::enter(left.py());
    let made = left
        .get()
        .inner()?
        .lstsq(right.get().inner()?, rcond)
        .raise()?;
    Ok((Array::own(made.0), Array::own(made.1), Array::own(made.2)))
}

/// A Fourier transform of the lines along an axis, by its name.
#[pyfunction]
#[pyo3(signature = (array, name, length, axis, norm))]
pub(crate) fn fft(
    array: &Bound<'_, Array>,
    name: &str,
    length: Option<usize>,
    axis: usize,
    norm: &str,
) -> PyResult<Array> {
    let norm = match norm {
        "backward" => Norm::Backward,
        "ortho" => Norm::Ortho,
        "forward" => Norm::Forward,
        other => {
            return Err(PyValueError::new_err(format!(
                "Invalid norm value {other}; should be \"backward\", \"ortho\" or \"forward\"."
            )));
        }
    };
    let along = Along {
        axis: Some(axis),
        length,
        norm,
    };
    let _entered = frame::enter(array.py());
    let inner = array.get().inner()?;
    let made = match name {
        "fft" => inner.fft(along),
        "ifft" => inner.ifft(along),
        "rfft" => inner.rfft(along),
        "irfft" => inner.irfft(along),
        other => {
            return Err(PyValueError::new_err(format!(
                "there is no transform {other}"
            )));
        }
    };
    Ok(Array::own(made.raise()?))
}
