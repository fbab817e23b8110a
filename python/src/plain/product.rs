//! Products of vectors and matrices of one real dtype.

use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::DType;
use weft::kernel::BinaryOp;

use super::array;
use crate::error::Raise;
use crate::kind::{self, FEW, Made};
use crate::{frame, ufunc};

/// Two arrays of one real dtype, neither of them empty.
fn pair<'a>(
    left: &'a Bound<'_, PyAny>,
    right: &'a Bound<'_, PyAny>,
) -> PyResult<Option<(&'a DynArray, &'a DynArray)>> {
    let (Some(left), Some(right)) = (array(left), array(right)) else {
        return Ok(None);
    };
    if ufunc::is_checked() {
        return Ok(None);
    }
    let (left, right) = (left.get().inner()?, right.get().inner()?);
    let is_plain = left.dtype() == right.dtype()
        && left.dtype() != DType::Bool
        && !left.dtype().is_complex()
        && !left.is_empty()
        && !right.is_empty();
    Ok(is_plain.then_some((left, right)))
}

/// The product of two arrays whose inner lengths are equal, as Python's functions return it.
fn product(py: Python<'_>, left: &DynArray, right: &DynArray) -> PyResult<Option<Py<PyAny>>> {
    let _entered = frame::enter(py);
    let made = left.matmul(right).raise()?;
    kind::of_array(py, made, left.len() > FEW).map(Some)
}

/// `np.inner`, `np.vdot` and `np.vecdot` of two vectors of one length.
#[pyfunction]
pub(crate) fn inner_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<Py<PyAny>>> {
    match pair(left, right)? {
        Some((a, b)) if a.ndim() == 1 && a.shape() == b.shape() => product(left.py(), a, b),
        _ => Ok(None),
    }
}

/// `np.matvec` of a matrix and a vector.
#[pyfunction]
pub(crate) fn matvec_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<Py<PyAny>>> {
    match pair(left, right)? {
        Some((a, b)) if matches!((a.shape(), b.shape()), ([_, k], [n]) if k == n) => {
            product(left.py(), a, b)
        }
        _ => Ok(None),
    }
}

/// `np.vecmat` of a vector and a matrix.
#[pyfunction]
pub(crate) fn vecmat_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<Py<PyAny>>> {
    match pair(left, right)? {
        Some((a, b)) if matches!((a.shape(), b.shape()), ([n], [k, _]) if k == n) => {
            product(left.py(), a, b)
        }
        _ => Ok(None),
    }
}

/// `np.outer` of two vectors.
#[pyfunction]
pub(crate) fn outer_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<Made>> {
    let Some((a, b)) = pair(left, right)? else {
        return Ok(None);
    };
    if a.ndim() != 1 || b.ndim() != 1 {
        return Ok(None);
    }
    let _entered = frame::enter(left.py());
    let mut column = a.viewing();
    column.insert(1).raise()?;
    let made = DynArray::binary(BinaryOp::Mul, &column.done(), b).raise()?;
    Ok(Some(Made::own(made)))
}
