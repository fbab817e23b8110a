//! Sorted arrays and the indices that sort them.

use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::DType;

use super::integer;
use super::reduce::Line;
use crate::error::Raise;
use crate::frame;
use crate::kind::ResultArray;

/// An array that is not empty, and the axis to sort along: all elements only if they are a vector.
fn line<'a>(
    object: &'a Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<(Line<'a>, usize)>> {
    let Some(line) = Line::from_arguments(object, axis)? else {
        return Ok(None);
    };
    let axis = line.axis.or((line.inner.ndim() == 1).then_some(0));
    Ok(axis.map(|axis| (line, axis)))
}

/// `np.sort`, or with `is_order` `np.argsort`, in the usual order of equal elements.
#[pyfunction]
pub(crate) fn sort_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
    is_order: bool,
) -> PyResult<Option<ResultArray>> {
    let Some((line, axis)) = line(object, axis)? else {
        return Ok(None);
    };
    let _entered = frame::enter(object.py());
    let made = match is_order {
        true => line.inner.argsort(axis).raise()?,
        false => line.inner.sort(axis).raise()?,
    };
    Ok(Some(ResultArray::own(made)))
}

/// `np.partition`, or with `is_order` `np.argpartition`, of real numbers at one place.
pub(crate) fn partition_plain(
    object: &Bound<'_, PyAny>,
    place: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
    is_order: bool,
) -> PyResult<Option<ResultArray>> {
    let (Some((line, axis)), Some(place)) = (line(object, axis)?, integer(place)) else {
        return Ok(None);
    };
    let Some(place) = super::axis_from_front(place, line.inner.shape()[axis]) else {
        return Ok(None);
    };
    if line.inner.dtype().is_complex() {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    let made = match is_order {
        true => line.inner.argpartition(&[place], axis).raise()?,
        false => line.inner.partition(&[place], axis).raise()?,
    };
    Ok(Some(ResultArray::own(made)))
}

/// `np.sort_complex` along the last axis.
pub(crate) fn sort_complex_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let last = super::number(object.py(), -1);
    let Some((line, axis)) = line(object, &last)? else {
        return Ok(None);
    };
    let dtype = match line.inner.dtype() {
        DType::C64 | DType::I8 | DType::I16 | DType::U8 | DType::U16 => DType::C64,
        _ => DType::C128,
    };
    let _entered = frame::enter(object.py());
    let made: DynArray = line.inner.sort(axis).raise()?.cast(dtype).raise()?;
    Ok(Some(ResultArray::own(made)))
}
