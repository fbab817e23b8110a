//! Elements by indices, and whole arrays that are written.

use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::DType;
use weft::shape::MAX_DIMS;

use super::{Axis, array};
use crate::array::Array;
use crate::error::Raise;
use crate::frame;
use crate::kind::Made;

/// The elements that an array of integers names along the first axis, as `array[indices]`; `None`
/// for other keys, and if the array or the indices are empty.
pub(crate) fn pick(
    of: &Bound<'_, Array>,
    indices: &Bound<'_, PyAny>,
    axis: Option<usize>,
) -> PyResult<Option<Made>> {
    let Some(indices) = array(indices) else {
        return Ok(None);
    };
    let (inner, indices) = (of.get().inner()?, indices.get().inner()?);
    let is_number = indices.ndim() == 0 || inner.ndim() == 0;
    if is_number || !can_index(indices.dtype()) || inner.is_empty() || indices.is_empty() {
        return Ok(None);
    }
    if inner.ndim() + indices.ndim() > MAX_DIMS {
        return Ok(None);
    }
    let _entered = frame::enter(of.py());
    Ok(Some(Made::own(inner.take(indices, axis).raise()?)))
}

/// Returns whether the integers of a dtype are indices without a cast. Not all of `u64` fit the
/// type of indices.
fn can_index(dtype: DType) -> bool {
    dtype.is_integer() && dtype != DType::U64
}

/// `np.take` of an array by an array of integers, of which none may be out of bounds.
#[pyfunction]
pub(crate) fn take_plain(
    object: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<Made>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let Some(axis) = Axis::from_argument(axis, of.get().layout()?.ndim()) else {
        return Ok(None);
    };
    pick(of, indices, axis.get())
}

/// `np.copyto` of an array that has the shape and dtype of the written one. The result says whether
/// it was written.
#[pyfunction]
pub(crate) fn copyto_plain(to: &Bound<'_, PyAny>, source: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (Some(to), Some(from)) = (array(to), array(source)) else {
        return Ok(false);
    };
    let fits = |to: &DynArray, from: &DynArray| {
        to.dtype() == from.dtype() && to.shape() == from.shape() && !to.is_same_view_as(from)
    };
    if !fits(to.get().layout()?, from.get().layout()?) {
        return Ok(false);
    }
    Array::written(to, |to| {
        let _entered = frame::enter(to.py());
        to.get().inner()?.assign(from.get().values()?).raise()
    })?;
    Ok(true)
}
