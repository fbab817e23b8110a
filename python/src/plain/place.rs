//! Elements by indices, and whole arrays that are written.

use pyo3::prelude::*;
use pyo3::types::PyList;
use weft::DynArray;
use weft::dtype::DType;
use weft::shape::MAX_DIMS;

use super::{Axis, array, array_plain, can_index, integer, items, write};
use crate::array::Array;
use crate::error::Raise;
use crate::frame;
use crate::kind::ResultArray;

/// The elements that an array or list of integers names along an axis, as `array[indices]` along
/// the first; `None` for other keys, and if the array or the indices are empty.
pub(crate) fn pick(
    of: &Bound<'_, Array>,
    indices: &Bound<'_, PyAny>,
    axis: Option<usize>,
) -> PyResult<Option<ResultArray>> {
    let Some(indices) = array(indices) else {
        return match listed(of, indices, axis)? {
            Some(made) => pick(of, made.bind(of.py())?.as_any(), axis),
            None => Ok(None),
        };
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
    Ok(Some(ResultArray::own(inner.take(indices, axis).raise()?)))
}

/// The integers of a list, if they are indices along an axis. A tuple names an index for each axis.
fn listed(
    of: &Bound<'_, Array>,
    indices: &Bound<'_, PyAny>,
    axis: Option<usize>,
) -> PyResult<Option<ResultArray>> {
    let Ok(list) = indices.cast_exact::<PyList>() else {
        return Ok(None);
    };
    let layout = of.get().layout()?;
    let length = match axis {
        Some(axis) => layout.shape().get(axis).copied().unwrap_or(0),
        None => layout.len(),
    } as isize;
    let is_inside =
        |one: &Bound<'_, PyAny>| integer(one).is_some_and(|at| -length <= at && at < length);
    match list.iter().all(|one| is_inside(&one)) {
        true => array_plain(list),
        false => Ok(None),
    }
}

/// `np.take` of an array by an array of integers, of which none may be out of bounds.
#[pyfunction]
pub(crate) fn take_plain(
    object: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let Some(axis) = Axis::from_argument(axis, of.get().layout()?.ndim()) else {
        return Ok(None);
    };
    pick(of, indices, axis.get())
}

/// `np.take_along_axis` where the other axes have the lengths of the indices'.
#[pyfunction]
pub(crate) fn take_along_plain(
    object: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(indices), Some(axis)) = (array(object), array(indices), integer(axis))
    else {
        return Ok(None);
    };
    let (inner, indices) = (of.get().inner()?, indices.get().inner()?);
    let Some(axis) = write::lines(inner, indices, axis) else {
        return Ok(None);
    };
    let _entered = frame::enter(object.py());
    let made = inner.take_along_axis(indices, axis).raise()?;
    Ok(Some(ResultArray::own(made)))
}

/// `np.choose` by a mask from two arrays that have its shape and one dtype.
#[pyfunction]
pub(crate) fn choose_plain(
    object: &Bound<'_, PyAny>,
    choices: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(mask), Some(choices)) = (array(object), items(choices)) else {
        return Ok(None);
    };
    let [unset, set] = &choices[..] else {
        return Ok(None);
    };
    let (Some(unset), Some(set)) = (array(unset), array(set)) else {
        return Ok(None);
    };
    let (mask, unset, set) = (
        mask.get().inner()?,
        unset.get().inner()?,
        set.get().inner()?,
    );
    let fits = mask.dtype() == DType::Bool
        && mask.ndim() > 0
        && unset.dtype() == set.dtype()
        && [unset, set].iter().all(|one| one.shape() == mask.shape());
    if !fits {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    Ok(Some(ResultArray::own(
        DynArray::select(mask, set, unset).raise()?,
    )))
}
