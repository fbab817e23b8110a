//! Shapes: views, repetitions, stacks.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use weft::DynArray;
use weft::shape::MAX_DIMS;

use super::{Axis, array, axis_from_front, integer, integers, items, lengths};
use crate::array::Array;
use crate::error::Raise;
use crate::frame;
use crate::kind::ResultArray;

/// `np.reshape` in row-major order.
#[pyfunction]
pub(crate) fn reshape_plain(
    object: &Bound<'_, PyAny>,
    shape: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(lengths)) = (array(object), integers(shape)) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let Some(dims) = complete(&lengths, inner.len()) else {
        return Ok(None);
    };
    // A view needs no place in the program.
    let _entered = (!inner.is_contiguous()).then(|| frame::enter(object.py()));
    ResultArray::wrap(of, inner.reshape(&dims).raise()?).map(Some)
}

/// Completes the lengths of a shape of `count` elements, of which one may be given as -1; `None` if
/// there is no such shape.
fn complete(lengths: &[isize], count: usize) -> Option<SmallVec<[usize; MAX_DIMS]>> {
    if lengths.len() > MAX_DIMS {
        return None;
    }
    let mut known = 1_usize;
    let mut unknown = None;
    let mut dims = SmallVec::new();
    for (at, length) in lengths.iter().enumerate() {
        match usize::try_from(*length) {
            Ok(length) => {
                known = known.checked_mul(length)?;
                dims.push(length);
            }
            Err(_) if unknown.is_none() => {
                unknown = Some(at);
                dims.push(1);
            }
            Err(_) => return None,
        }
    }
    match unknown {
        Some(at) if known > 0 && count.is_multiple_of(known) => dims[at] = count / known,
        None if known == count => {}
        _ => return None,
    }
    Some(dims)
}

/// `np.ravel` of an array whose elements lie in row-major order without gaps.
#[pyfunction]
pub(crate) fn ravel_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    // Parts of another array are not contiguous in NumPy, which copies them.
    if inner.is_empty() || !inner.is_contiguous() || of.get().copied_part().is_some() {
        return Ok(None);
    }
    ResultArray::view_of(of, inner.reshape(&[inner.len()]).raise()?).map(Some)
}

/// `np.squeeze` of all axes of length 1.
#[pyfunction]
pub(crate) fn squeeze_plain<'py>(
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    if !inner.shape().contains(&1) {
        return Ok(Some(object.clone()));
    }
    let mut view = inner.viewing();
    for axis in (0..inner.ndim()).rev() {
        if inner.shape()[axis] == 1 {
            view.at(axis, 0).raise()?;
        }
    }
    ResultArray::view_of(of, view.done())?
        .bind(object.py())
        .map(Some)
}

/// `np.flip` along one axis or all axes.
#[pyfunction]
#[pyo3(signature = (object, axis))]
pub(crate) fn flip_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let Some(axis) = Axis::from_argument(axis, inner.ndim()) else {
        return Ok(None);
    };
    if inner.is_empty() || inner.ndim() == 0 {
        return Ok(None);
    }
    let mut view = inner.viewing();
    let axes = match axis.get() {
        None => 0..inner.ndim(),
        Some(axis) => axis..axis + 1,
    };
    for axis in axes {
        let length = inner.shape()[axis];
        view.range(axis, length as isize - 1, -1, length).raise()?;
    }
    ResultArray::view_of(of, view.done()).map(Some)
}

/// `np.expand_dims` at one place.
#[pyfunction]
pub(crate) fn expand_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(axis)) = (array(object), integer(axis)) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let Some(axis) = axis_from_front(axis, inner.ndim() + 1) else {
        return Ok(None);
    };
    if inner.ndim() == MAX_DIMS {
        return Ok(None);
    }
    let mut view = inner.viewing();
    view.insert(axis).raise()?;
    ResultArray::view_of(of, view.done()).map(Some)
}

/// `np.diagonal` of a matrix, as a view that may not be written.
#[pyfunction]
pub(crate) fn diagonal_plain(
    object: &Bound<'_, PyAny>,
    offset: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(offset)) = (array(object), integer(offset)) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    if inner.ndim() != 2 || i32::try_from(offset).is_err() {
        return Ok(None);
    }
    let made = Array::view_of(of, inner.diagonal(offset).raise()?);
    Ok(Some(made.set_read_only().into()))
}

/// `np.repeat` with one count for all elements.
#[pyfunction]
pub(crate) fn repeat_plain(
    object: &Bound<'_, PyAny>,
    repeats: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(repeats)) = (array(object), integer(repeats)) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let Some(axis) = Axis::from_argument(axis, inner.ndim()) else {
        return Ok(None);
    };
    let Ok(repeats) = usize::try_from(repeats) else {
        return Ok(None);
    };
    // A copy of the view with one more axis.
    if inner.is_empty() || repeats == 0 || inner.ndim() == 0 || inner.ndim() == MAX_DIMS {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    let made = inner.repeat(repeats, axis.get()).raise()?;
    Ok(Some(ResultArray::own(made)))
}

/// `np.tile` of an array without empty axes.
#[pyfunction]
pub(crate) fn tile_plain(
    object: &Bound<'_, PyAny>,
    repeats: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(repeats)) = (array(object), integers(repeats)) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let counts: Option<SmallVec<[usize; MAX_DIMS]>> = repeats
        .iter()
        .map(|one| usize::try_from(*one).ok().filter(|one| *one > 0))
        .collect();
    let Some(counts) = counts else {
        return Ok(None);
    };
    let repeated = counts.iter().filter(|one| **one > 1).count();
    let axes = inner.ndim().max(counts.len()) + repeated;
    if inner.is_empty() || repeated == 0 || axes > MAX_DIMS {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    Ok(Some(ResultArray::own(inner.tile(&counts).raise()?)))
}

/// `np.stack` of a list or tuple of arrays that have one shape and one dtype.
#[pyfunction]
pub(crate) fn stack_plain(
    objects: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(axis), Some(items)) = (integer(axis), items(objects)) else {
        return Ok(None);
    };
    let mut parts: Vec<DynArray> = Vec::with_capacity(items.len());
    for item in &items {
        let Some(one) = array(item) else {
            return Ok(None);
        };
        let one = one.get().values()?;
        let first = parts.first().unwrap_or(&one);
        if one.shape() != first.shape() || one.dtype() != first.dtype() || one.ndim() == MAX_DIMS {
            return Ok(None);
        }
        parts.push(one.into_owned());
    }
    let Some(axis) = parts
        .first()
        .and_then(|first| axis_from_front(axis, first.ndim() + 1))
    else {
        return Ok(None);
    };
    let _entered = frame::enter(objects.py());
    Ok(Some(ResultArray::own(
        DynArray::stack(&parts, axis).raise()?,
    )))
}

/// `np.broadcast_to`: a view that may not be written.
pub(crate) fn broadcast_plain(
    object: &Bound<'_, PyAny>,
    shape: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(dims)) = (array(object), lengths(shape)) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let mut pairs = inner.shape().iter().rev().zip(dims.iter().rev());
    let fits = inner.ndim() <= dims.len()
        && dims.len() <= MAX_DIMS
        && pairs.all(|(own, length)| own == length || *own == 1);
    if !fits {
        return Ok(None);
    }
    let made = Array::view_of(of, inner.broadcast_to(&dims).raise()?);
    Ok(Some(made.set_read_only().into()))
}

/// `np.unstack` along the first axis, of an array with two axes at least.
pub(crate) fn unstack_plain<'py>(
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let (py, inner) = (object.py(), of.get().inner()?);
    if inner.ndim() < 2 {
        return Ok(None);
    }
    let part = |at: usize| {
        let mut view = inner.viewing();
        view.at(0, at as isize).raise()?;
        ResultArray::view_of(of, view.done())?.bind(py)
    };
    let parts: Vec<Bound<'py, PyAny>> = (0..inner.shape()[0]).map(part).collect::<PyResult<_>>()?;
    PyTuple::new(py, parts).map(Some)
}
