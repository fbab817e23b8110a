//! Elements within bounds, rounded elements, and numbers in place of NaN.

use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::DType;
use weft::kernel::BinaryOp;

use super::{array, integer};
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::primitive::weak_value;
use crate::{frame, ufunc};

/// `np.clip` of integers, or of floats of 32 or 64 bits, between two Python numbers of their kind.
#[pyfunction]
pub(crate) fn clip_plain(
    object: &Bound<'_, PyAny>,
    low: &Bound<'_, PyAny>,
    high: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    if ufunc::is_checked() || inner.dtype() == DType::F16 || inner.ndim() == 0 {
        return Ok(None);
    }
    let bounds = [low, high].map(|bound| weak_value(bound, inner.dtype()));
    let [Ok(Some(low)), Ok(Some(high))] = bounds else {
        return Ok(None);
    };
    let _entered = frame::enter(object.py());
    let above = DynArray::binary(BinaryOp::Maximum, low, inner).raise()?;
    let made = DynArray::binary(BinaryOp::Minimum, high, &above).raise()?;
    Ok(Some(ResultArray::own(made)))
}

/// `np.nan_to_num` of floats of 32 or 64 bits, with the usual replacements.
#[pyfunction]
pub(crate) fn nan_to_num_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    if ufunc::is_checked() || !matches!(inner.dtype(), DType::F32 | DType::F64) || inner.ndim() == 0
    {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    let made = inner.nan_to_num(0.0, None, None).raise()?;
    Ok(Some(ResultArray::own(made)))
}

/// The most decimals whose power of ten floats represent exactly.
const MOST_DECIMALS: i32 = 22;

/// `np.round` of floats of 32 or 64 bits.
#[pyfunction]
pub(crate) fn round_plain(
    object: &Bound<'_, PyAny>,
    decimals: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let decimals = integer(decimals).and_then(|decimals| i32::try_from(decimals).ok());
    let (Some(of), Some(decimals)) = (array(object), decimals) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let is_plain = matches!(inner.dtype(), DType::F32 | DType::F64)
        && inner.ndim() > 0
        && (-MOST_DECIMALS..=MOST_DECIMALS).contains(&decimals);
    if !is_plain || ufunc::is_checked() {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    Ok(Some(ResultArray::own(inner.round(decimals).raise()?)))
}
