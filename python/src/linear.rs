//! Linear algebra and Fourier transforms.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::DType;
use weft::program::fft::{Along, Norm};

use crate::array::Array;
use crate::error::Raise;
use crate::kind::{self, ResultArray, Source};
use crate::{frame, ufunc};

/// The product of two matrices, or of a matrix and a vector.
#[pyfunction]
pub(crate) fn matmul(left: Source<'_>, right: Source<'_>) -> PyResult<Py<PyAny>> {
    let py = left.py();
    let _entered = frame::enter(py);
    let made = left.get().inner()?.matmul(right.get().inner()?).raise()?;
    kind::wrap_array(py, made, left.is_deferred_beyond(kind::FEW))
}

/// The product of two vectors or matrices of one dtype; `None` for other operands, or if they do
/// not fit.
#[pyfunction]
pub(crate) fn product(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<Py<PyAny>>> {
    let py = left.py();
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
    let made = left.matmul(right).raise()?;
    kind::wrap_array(py, made, left.len() > kind::FEW).map(Some)
}

/// The contraction of two arrays over these axes.
#[pyfunction]
pub(crate) fn tensordot(
    left: Source<'_>,
    right: Source<'_>,
    left_axes: Vec<usize>,
    right_axes: Vec<usize>,
) -> PyResult<Py<PyAny>> {
    let _entered = frame::enter(left.py());
    let made = left
        .get()
        .inner()?
        .tensordot(right.get().inner()?, &left_axes, &right_axes);
    let is_deferred = left.is_deferred_beyond(kind::FEW) || right.is_deferred_beyond(kind::FEW);
    kind::wrap_array(left.py(), made.raise()?, is_deferred)
}

/// The Einstein summation.
#[pyfunction]
pub(crate) fn einsum(
    py: Python<'_>,
    subscripts: &str,
    arrays: Vec<Source<'_>>,
) -> PyResult<Py<PyAny>> {
    let _entered = frame::enter(py);
    let is_deferred = arrays
        .iter()
        .any(|array| array.is_deferred_beyond(kind::FEW));
    let arrays: Vec<&DynArray> = arrays
        .iter()
        .map(|array| array.get().inner())
        .collect::<PyResult<_>>()?;
    let made = DynArray::einsum(subscripts, &arrays).raise()?;
    kind::wrap_array(py, made, is_deferred)
}

/// Functions of one matrix, or of a stack of them, with one result or several.
macro_rules! of_matrix {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) -> $made:tt;)*) => {
        $($(#[$doc])*
        #[pyfunction]
        pub(crate) fn $name(array: Source<'_> $(, $arg: $type)*) -> PyResult<of_matrix!(@type $made)> {
            let _entered = frame::enter(array.py());
            let is_deferred = array.is_deferred_beyond(kind::FEW);
            let made = array.get().inner()?.$name($($arg),*).raise()?;
            let wrap = |made: DynArray| kind::wrap_array(array.py(), made, is_deferred);
            Ok(of_matrix!(@wrap made, wrap, $made))
        })*
    };
    (@type 1) => { Py<PyAny> };
    (@type 2) => { (Py<PyAny>, Py<PyAny>) };
    (@type 3) => { (Py<PyAny>, Py<PyAny>, Py<PyAny>) };
    (@wrap $made:ident, $wrap:ident, 1) => { $wrap($made)? };
    (@wrap $made:ident, $wrap:ident, 2) => { ($wrap($made.0)?, $wrap($made.1)?) };
    (@wrap $made:ident, $wrap:ident, 3) => {
        ($wrap($made.0)?, $wrap($made.1)?, $wrap($made.2)?)
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
    /// The QR decomposition.
    qr() -> 2;
    /// Singular vectors and values.
    svd(full_matrices: bool) -> 3;
    /// Singular values.
    svdvals() -> 1;
    /// Eigenvalues and eigenvectors of a symmetric matrix; reads only the lower triangle.
    eigh() -> 2;
    /// Its eigenvalues.
    eigvalsh() -> 1;
    /// Complex eigenvalues and eigenvectors of any matrix.
    eig() -> 2;
    /// Complex eigenvalues of any matrix.
    eigvals() -> 1;
}

/// The solution of linear equations.
#[pyfunction]
pub(crate) fn solve(left: Source<'_>, right: Source<'_>) -> PyResult<ResultArray> {
    let _entered = frame::enter(left.py());
    Ok(ResultArray::own(
        left.get().inner()?.solve(right.get().inner()?).raise()?,
    ))
}

/// The least squares, with residuals and rank.
#[pyfunction]
#[pyo3(signature = (left, right, rcond=None))]
pub(crate) fn lstsq(
    left: Source<'_>,
    right: Source<'_>,
    rcond: Option<f64>,
) -> PyResult<(ResultArray, ResultArray, ResultArray)> {
    let _entered = frame::enter(left.py());
    let made = left
        .get()
        .inner()?
        .lstsq(right.get().inner()?, rcond)
        .raise()?;
    Ok((
        ResultArray::own(made.0),
        ResultArray::own(made.1),
        ResultArray::own(made.2),
    ))
}

/// A Fourier transform of the lines along an axis, by its name.
#[pyfunction]
#[pyo3(signature = (array, name, length, axis, norm))]
pub(crate) fn fft(
    array: Source<'_>,
    name: &str,
    length: Option<usize>,
    axis: usize,
    norm: &str,
) -> PyResult<ResultArray> {
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
        "hfft" => inner.hfft(along),
        "ihfft" => inner.ihfft(along),
        other => {
            return Err(PyValueError::new_err(format!(
                "there is no transform {other}"
            )));
        }
    };
    Ok(ResultArray::own(made.raise()?))
}
