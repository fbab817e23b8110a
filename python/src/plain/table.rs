//! Searches in sorted vectors, counts, and interpolation.

use pyo3::prelude::*;
use smallvec::SmallVec;
use weft::dtype::{DType, Scalar};
use weft::error::CallError;
use weft::kernel::BinaryOp;
use weft::program::Side;
use weft::{DynArray, Error};

use super::{array, integer, items};
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::{frame, run, ufunc};

/// The most coefficients of a polynomial that are read one by one.
const FEW: usize = 1000;

/// A vector of real numbers without a cast, and other values of its dtype.
fn ordered<'a>(
    vector: &'a Bound<'_, PyAny>,
    values: &'a Bound<'_, PyAny>,
) -> PyResult<Option<(&'a DynArray, &'a DynArray)>> {
    let (Some(vector), Some(values)) = (array(vector), array(values)) else {
        return Ok(None);
    };
    let (vector, values) = (vector.get().inner()?, values.get().inner()?);
    let dtype = vector.dtype();
    let is_plain = vector.ndim() == 1
        && values.ndim() > 0
        && dtype == values.dtype()
        && !dtype.is_complex()
        && !vector.is_empty()
        && !values.is_empty();
    Ok(is_plain.then_some((vector, values)))
}

/// `np.searchsorted` of values in a vector of their dtype.
#[pyfunction]
pub(crate) fn searchsorted_plain(
    sorted: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
    side: &str,
) -> PyResult<Option<ResultArray>> {
    let side = match side {
        "left" => Side::Left,
        "right" => Side::Right,
        _ => return Ok(None),
    };
    let Some((vector, of)) = ordered(sorted, values)? else {
        return Ok(None);
    };
    let _entered = frame::enter(sorted.py());
    Ok(Some(ResultArray::own(
        vector.searchsorted(of, side).raise()?,
    )))
}

/// `np.digitize` of values between monotonic edges of their dtype.
#[pyfunction]
pub(crate) fn digitize_plain(
    values: &Bound<'_, PyAny>,
    edges: &Bound<'_, PyAny>,
    right: bool,
) -> PyResult<Option<ResultArray>> {
    let Some((vector, of)) = ordered(edges, values)? else {
        return Ok(None);
    };
    let _entered = frame::enter(values.py());
    // Python reports edges that are not monotonic.
    unless_wrong(of.digitize(vector, right))
}

/// `np.bincount` of a vector of numbers, optionally with weights of `float64`.
#[pyfunction]
pub(crate) fn bincount_plain(
    numbers: &Bound<'_, PyAny>,
    weights: &Bound<'_, PyAny>,
    least: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let least = integer(least).and_then(|least| usize::try_from(least).ok());
    let (Some(of), Some(least)) = (array(numbers), least) else {
        return Ok(None);
    };
    let of = of.get().inner()?;
    if of.ndim() != 1 || of.is_empty() || !of.dtype().is_integer() || of.dtype() == DType::U64 {
        return Ok(None);
    }
    let given = match weights.is_none() {
        true => None,
        false => match array(weights) {
            Some(weights) => Some(weights.get().inner()?),
            None => return Ok(None),
        },
    };
    if given.is_some_and(|given| given.shape() != of.shape() || given.dtype() != DType::F64) {
        return Ok(None);
    }
    let _entered = frame::enter(numbers.py());
    // Python reports negative numbers.
    unless_wrong(of.bincount(given, least))
}

/// Returns the result of a call; `None` if its arguments were wrong, which the Python code reports.
fn unless_wrong(made: Result<DynArray, Error>) -> PyResult<Option<ResultArray>> {
    match made {
        Err(Error::Call(error)) if !matches!(error, CallError::Interrupted) => Ok(None),
        made => Ok(Some(ResultArray::own(made.raise()?))),
    }
}

/// `np.interp` of `float64`, with the first and last values outside of the points.
#[pyfunction]
pub(crate) fn interp_plain(
    at: &Bound<'_, PyAny>,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some((points, of)) = ordered(x, at)? else {
        return Ok(None);
    };
    let Some(y) = array(y) else {
        return Ok(None);
    };
    let y = y.get().inner()?;
    if points.dtype() != DType::F64 || y.dtype() != DType::F64 || y.shape() != points.shape() {
        return Ok(None);
    }
    let _entered = frame::enter(at.py());
    Ok(Some(ResultArray::own(
        of.interp(points, y, [None; 2]).raise()?,
    )))
}

/// `np.polyval` of coefficients and an array of `float64`, by Horner's rule.
#[pyfunction]
pub(crate) fn polyval_plain(
    coefficients: &Bound<'_, PyAny>,
    x: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some((p, of)) = ordered(coefficients, x)? else {
        return Ok(None);
    };
    if of.dtype() != DType::F64 || p.len() > FEW || ufunc::is_checked() {
        return Ok(None);
    }
    let py = x.py();
    let _entered = frame::enter(py);
    let values = run::read(py, p)?;
    let mut made: Option<DynArray> = None;
    for bytes in values.as_bytes().as_chunks().0 {
        let value = Scalar::F64(f64::from_ne_bytes(*bytes));
        // The first product is with 0, which makes NaN of infinities.
        let product = match &made {
            None => DynArray::binary(BinaryOp::Mul, of, Scalar::F64(0.0)).raise()?,
            Some(made) => DynArray::binary(BinaryOp::Mul, made, of).raise()?,
        };
        made = Some(DynArray::binary(BinaryOp::Add, &product, value).raise()?);
    }
    Ok(made.map(ResultArray::own))
}

/// `np.lexsort` of a list or tuple of vectors.
#[pyfunction]
pub(crate) fn lexsort_plain(
    keys: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(0 | -1), Some(keys)) = (integer(axis), items(keys)) else {
        return Ok(None);
    };
    let mut all: SmallVec<[&DynArray; 4]> = SmallVec::new();
    for key in &keys {
        let Some(key) = array(key) else {
            return Ok(None);
        };
        let key = key.get().inner()?;
        if key.ndim() != 1 || key.is_empty() || key.shape() != all.first().unwrap_or(&key).shape() {
            return Ok(None);
        }
        all.push(key);
    }
    let _entered = frame::enter(axis.py());
    let mut order: Option<DynArray> = None;
    for key in all {
        order = Some(match order {
            None => key.argsort(0).raise()?,
            Some(order) => {
                let by_this = key.take(&order, Some(0)).raise()?.argsort(0).raise()?;
                order.take(&by_this, Some(0)).raise()?
            }
        });
    }
    Ok(order.map(ResultArray::own))
}
