//! Bits of bytes, and numbers of elements as indices along each axis.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use smallvec::SmallVec;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::{AxisOrder, BitOrder};
use weft::shape::MAX_DIMS;

use super::{Axis, array, integer, integers, items};
use crate::error::Raise;
use crate::kind::{self, ResultArray, Source};
use crate::{frame, known};

fn bit_order(is_big: bool) -> BitOrder {
    match is_big {
        true => BitOrder::Big,
        false => BitOrder::Little,
    }
}

/// Eight elements along the last axis packed into one byte.
#[pyfunction]
pub(crate) fn packbits(array: Source<'_>, is_big: bool) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let made = array.get().inner()?.packbits(bit_order(is_big)).raise()?;
    Ok(ResultArray::own(made))
}

/// The bits of bytes, eight elements along the last axis for each.
#[pyfunction]
pub(crate) fn unpackbits(array: Source<'_>, is_big: bool) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let made = array.get().inner()?.unpackbits(bit_order(is_big)).raise()?;
    Ok(ResultArray::own(made))
}

/// The elements along the last axis, or all in row-major order, and the order of bits.
fn line(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
    order: &Bound<'_, PyAny>,
) -> PyResult<Option<(DynArray, BitOrder)>> {
    let (Some(of), Ok(order)) = (array(object), order.cast_exact::<PyString>()) else {
        return Ok(None);
    };
    let order = match order.to_str()? {
        "big" => BitOrder::Big,
        "little" => BitOrder::Little,
        _ => return Ok(None),
    };
    let inner = of.get().inner()?;
    let axis = Axis::from_argument(axis, inner.ndim());
    let (Some(axis), false, 1..) = (axis, inner.is_empty(), inner.ndim()) else {
        return Ok(None);
    };
    let made = match axis.get() {
        None if inner.ndim() == 1 => inner.clone(),
        None => inner.reshape(&[inner.len()]).raise()?,
        Some(axis) if axis + 1 == inner.ndim() => inner.clone(),
        Some(_) => return Ok(None),
    };
    Ok(Some((made, order)))
}

/// `np.packbits` along the last axis, or of all elements.
#[pyfunction]
pub(crate) fn packbits_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
    order: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let _entered = frame::enter(object.py());
    match line(object, axis, order)? {
        Some((line, order)) if line.dtype().is_bool() || line.dtype().is_integer() => {
            Ok(Some(ResultArray::own(line.packbits(order).raise()?)))
        }
        _ => Ok(None),
    }
}

/// `np.unpackbits` along the last axis, or of all elements.
#[pyfunction]
pub(crate) fn unpackbits_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
    order: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let _entered = frame::enter(object.py());
    match line(object, axis, order)? {
        Some((line, order)) if line.dtype() == DType::U8 => {
            Ok(Some(ResultArray::own(line.unpackbits(order).raise()?)))
        }
        _ => Ok(None),
    }
}

/// The lengths of axes, none of them below 0, whose product is a number of elements.
fn lengths(object: &Bound<'_, PyAny>) -> Option<SmallVec<[usize; MAX_DIMS]>> {
    let lengths: Option<SmallVec<[usize; MAX_DIMS]>> = integers(object)?
        .iter()
        .map(|length| usize::try_from(*length).ok())
        .collect();
    let lengths = lengths?;
    let sum = |sum: isize, length: &usize| sum.checked_mul(isize::try_from(*length).ok()?);
    lengths.iter().try_fold(1, sum)?;
    Some(lengths)
}

fn axis_order(is_row_major: bool) -> AxisOrder {
    match is_row_major {
        true => AxisOrder::RowMajor,
        false => AxisOrder::ColumnMajor,
    }
}

/// `np.unravel_index` of an array with axes, all of whose numbers are in bounds, if it needs no
/// operation.
#[pyfunction]
pub(crate) fn unravel_plain<'py>(
    indices: &Bound<'py, PyAny>,
    shape: &Bound<'_, PyAny>,
    is_row_major: bool,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let (Some(indices), Some(shape)) = (array(indices), lengths(shape)) else {
        return Ok(None);
    };
    let (py, inner) = (indices.py(), indices.get().inner()?);
    if inner.ndim() == 0 {
        return Ok(None);
    }
    let _entered = frame::enter(py);
    let Some(rows) = inner.unravel_at_once(&shape, axis_order(is_row_major)) else {
        return Ok(None);
    };
    let rows: Vec<Bound<'py, PyAny>> = rows
        .into_iter()
        .map(|row| ResultArray::own(row).bind(py))
        .collect::<PyResult<_>>()?;
    PyTuple::new(py, rows).map(Some)
}

/// `np.ravel_multi_index` of arrays of one shape with axes, all of whose indices are in bounds, if
/// it needs no operation.
#[pyfunction]
pub(crate) fn ravel_multi_plain(
    indices: &Bound<'_, PyAny>,
    shape: &Bound<'_, PyAny>,
    is_row_major: bool,
) -> PyResult<Option<ResultArray>> {
    let (Some(items), Some(shape)) = (items(indices), lengths(shape)) else {
        return Ok(None);
    };
    let mut all: SmallVec<[&DynArray; MAX_DIMS]> = SmallVec::new();
    for item in &items {
        let Some(index) = array(item) else {
            return Ok(None);
        };
        all.push(index.get().inner()?);
    }
    if all.iter().any(|index| index.ndim() == 0) {
        return Ok(None);
    }
    let _entered = frame::enter(indices.py());
    let made = DynArray::ravel_at_once(&all, &shape, axis_order(is_row_major));
    Ok(made.map(ResultArray::own))
}

/// `np.unravel_index` of one number in bounds, given as a Python integer or a known `int64`.
pub(crate) fn unravel_number<'py>(
    object: &Bound<'py, PyAny>,
    shape: &Bound<'_, PyAny>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let number = integer(object).or_else(|| match known::convert(object) {
        Some(Scalar::I64(number)) => isize::try_from(number).ok(),
        _ => None,
    });
    let number = number.and_then(|number| usize::try_from(number).ok());
    let (Some(mut rest), Some(shape)) = (number, lengths(shape)) else {
        return Ok(None);
    };
    if shape.is_empty() || rest >= shape.iter().product() {
        return Ok(None);
    }
    let py = object.py();
    let mut places: SmallVec<[Py<PyAny>; MAX_DIMS]> = SmallVec::new();
    for length in shape.iter().rev() {
        let place = Scalar::I64((rest % length) as i64);
        places.push(kind::wrap_value(py, place, false)?);
        rest /= length;
    }
    PyTuple::new(py, places.iter().rev()).map(Some)
}
