//! Products of vectors and matrices of one real dtype, and convolutions.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, ReduceOp};
use weft::program::Overlap;
use weft::shape::MAX_DIMS;

use super::array;
use crate::error::Raise;
use crate::kind::{self, FEW, ResultArray};
use crate::{frame, ufunc};

/// Two arrays of one real dtype, neither of them empty.
pub(super) fn pair<'a>(
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
    kind::wrap_array(py, made, left.len() > FEW).map(Some)
}

/// `np.vecdot` of two arrays of one shape, along their last axis.
#[pyfunction]
pub(crate) fn vecdot_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<Py<PyAny>>> {
    let Some((a, b)) = pair(left, right)? else {
        return Ok(None);
    };
    let ndim = a.ndim();
    if ndim == 0 || a.shape() != b.shape() || ndim == MAX_DIMS {
        return Ok(None);
    }
    if ndim == 1 {
        return product(left.py(), a, b);
    }
    let _entered = frame::enter(left.py());
    let (mut row, mut column) = (a.viewing(), b.viewing());
    row.insert(ndim - 1).raise()?;
    column.insert(ndim).raise()?;
    let made = row.done().matmul(&column.done()).raise()?;
    let mut only = made.viewing();
    only.at(ndim, 0).raise()?;
    only.at(ndim - 1, 0).raise()?;
    Ok(Some(
        ResultArray::own(only.done()).bind(left.py())?.unbind(),
    ))
}

/// `np.einsum` of several arrays of one dtype of floats.
#[pyfunction]
pub(crate) fn einsum_plain(
    subscripts: &str,
    operands: &Bound<'_, PyTuple>,
) -> PyResult<Option<Py<PyAny>>> {
    if operands.len() < 2 || ufunc::is_checked() {
        return Ok(None);
    }
    let items: SmallVec<[Bound<'_, PyAny>; 4]> = operands.iter().collect();
    let mut arrays: SmallVec<[&DynArray; 4]> = SmallVec::new();
    for item in &items {
        let Some(one) = array(item) else {
            return Ok(None);
        };
        let one = one.get().inner()?;
        let dtype = arrays.first().unwrap_or(&one).dtype();
        let is_float = matches!(dtype, DType::F32 | DType::F64);
        if !is_float || one.dtype() != dtype || one.is_empty() {
            return Ok(None);
        }
        arrays.push(one);
    }
    let py = operands.py();
    let _entered = frame::enter(py);
    // Python reports errors in the subscripts.
    let Ok(made) = DynArray::einsum(subscripts, &arrays) else {
        return Ok(None);
    };
    let is_deferred = arrays.iter().any(|one| one.len() > FEW);
    kind::wrap_array(py, made, is_deferred).map(Some)
}

/// `np.convolve`, or with `is_correlation` `np.correlate`, of two vectors of one real dtype. Floats
/// of the shorter one must be finite.
#[pyfunction]
pub(crate) fn convolve_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
    mode: &str,
    is_correlation: bool,
) -> PyResult<Option<ResultArray>> {
    let overlap = match mode {
        "full" => Overlap::Full,
        "same" => Overlap::Same,
        "valid" => Overlap::Valid,
        _ => return Ok(None),
    };
    let Some((a, b)) = pair(left, right)? else {
        return Ok(None);
    };
    let _entered = frame::enter(left.py());
    convolved(a, b, overlap, is_correlation)
}

/// [`convolve_plain`] of two arrays of one real dtype.
pub(super) fn convolved(
    a: &DynArray,
    b: &DynArray,
    overlap: Overlap,
    is_correlation: bool,
) -> PyResult<Option<ResultArray>> {
    let dtype = a.dtype();
    let is_reversed = is_correlation && overlap == Overlap::Same && a.len() < b.len();
    if a.ndim() != 1 || b.ndim() != 1 || dtype == DType::F16 || is_reversed {
        return Ok(None);
    }
    if dtype.is_float() {
        let shorter = if a.len() < b.len() { a } else { b };
        let total = shorter.reduce(ReduceOp::Sum, None).raise()?.result();
        let is_finite = |total: Scalar| total.to::<f64>().is_finite();
        if !total.is_some_and(is_finite) {
            return Ok(None);
        }
    }
    let made = match is_correlation {
        true => a.correlate(b, overlap).raise()?,
        false => a.convolve(b, overlap).raise()?,
    };
    Ok(Some(ResultArray::own(made.cast(dtype).raise()?)))
}

/// `np.inner` and `np.vdot` of two vectors of one length.
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
) -> PyResult<Option<ResultArray>> {
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
    Ok(Some(ResultArray::own(made)))
}
