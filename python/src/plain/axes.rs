//! Views with axes in another order, or with more axes.

use pyo3::prelude::*;
use smallvec::SmallVec;
use weft::DynArray;
use weft::shape::MAX_DIMS;

use super::{array, axis_from_front, integer, integers, items};
use crate::error::Raise;
use crate::kind::ResultArray;

type Axes = SmallVec<[usize; MAX_DIMS]>;

/// `np.swapaxes`.
#[pyfunction]
pub(crate) fn swapaxes_plain(
    object: &Bound<'_, PyAny>,
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    permuted(object, |ndim| {
        let first = axis_from_front(integer(first)?, ndim)?;
        let second = axis_from_front(integer(second)?, ndim)?;
        let mut axes: Axes = (0..ndim).collect();
        axes.swap(first, second);
        Some(axes)
    })
}

/// `np.transpose` with the axes reversed.
pub(crate) fn transpose_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    permuted(object, |ndim| Some((0..ndim).rev().collect()))
}

/// `np.matrix_transpose`.
pub(crate) fn matrix_transpose_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    permuted(object, |ndim| {
        let mut axes: Axes = (0..ndim).collect();
        axes.swap(ndim.checked_sub(2)?, ndim - 1);
        Some(axes)
    })
}

/// `np.moveaxis` of one axis.
pub(crate) fn moveaxis_plain(
    object: &Bound<'_, PyAny>,
    source: &Bound<'_, PyAny>,
    destination: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    permuted(object, |ndim| {
        let source = axis_from_front(integer(source)?, ndim)?;
        let destination = axis_from_front(integer(destination)?, ndim)?;
        let mut axes: Axes = (0..ndim).filter(|axis| *axis != source).collect();
        axes.insert(destination, source);
        Some(axes)
    })
}

/// `array.transpose(axes)` for a tuple of all axes.
#[pyfunction]
pub(crate) fn permute_plain(
    object: &Bound<'_, PyAny>,
    axes: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    permuted(object, |ndim| {
        let given = integers(axes)?;
        let axes: Option<Axes> = given
            .iter()
            .map(|axis| axis_from_front(*axis, ndim))
            .collect();
        // As many different axes as there are name each once.
        axes.filter(|axes| axes.len() == ndim && (0..ndim).all(|axis| axes.contains(&axis)))
    })
}

/// Returns the view of an array with its axes in the order that `order` returns for their number.
fn permuted(
    object: &Bound<'_, PyAny>,
    order: impl FnOnce(usize) -> Option<Axes>,
) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    match order(inner.ndim()) {
        Some(axes) => ResultArray::view_of(of, inner.permute(&axes).raise()?).map(Some),
        None => Ok(None),
    }
}

/// `np.atleast_1d`, `np.atleast_2d` or `np.atleast_3d` of one array: the array itself if it has
/// that many axes.
pub(crate) fn at_least_plain<'py>(
    object: &Bound<'py, PyAny>,
    count: usize,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let ndim = of.get().ndim()?;
    if ndim >= count {
        return Ok(Some(object.clone()));
    }
    if ndim == 0 {
        return Ok(None);
    }
    let mut view = of.get().inner()?.viewing();
    // The elements of a vector are a row, and those of a matrix have depth 1.
    if ndim == 1 {
        view.insert(0).raise()?;
    }
    if count == 3 {
        view.insert(2).raise()?;
    }
    let made = ResultArray::view_of(of, view.done())?;
    made.bind(object.py()).map(Some)
}

/// `np.dstack` of vectors of one dtype and length.
pub(crate) fn depth_stack_plain(objects: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(objects) = items(objects) else {
        return Ok(None);
    };
    let mut columns: SmallVec<[DynArray; 4]> = SmallVec::new();
    for object in &objects {
        let Some(of) = array(object) else {
            return Ok(None);
        };
        let inner = of.get().inner()?;
        let first = columns.first();
        let fits =
            first.is_none_or(|first| first.dtype() == inner.dtype() && first.len() == inner.len());
        if inner.ndim() != 1 || !fits {
            return Ok(None);
        }
        let mut view = inner.viewing();
        view.insert(0).raise()?;
        view.insert(2).raise()?;
        columns.push(view.done());
    }
    let Some(first) = objects.first() else {
        return Ok(None);
    };
    let _entered = crate::frame::enter(first.py());
    let made = DynArray::concatenate(&columns, 2).raise()?;
    Ok(Some(ResultArray::own(made)))
}
