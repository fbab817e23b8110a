//! Elements inserted and deleted: the parts between them are joined.

use std::ops::Range;

use pyo3::prelude::*;
use smallvec::{SmallVec, smallvec};
use weft::DynArray;
use weft::dtype::{DType, Scalar};

use super::can_index;
use super::{Axis, array, integer};
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::primitive::weak_value;
use crate::{frame, run};

/// The most places of a plain call. With more, one pass over all elements is faster than many
/// parts.
const MANY: usize = 64;

type Places = SmallVec<[isize; 16]>;

/// The places that a Python integer or a vector of integers names, counted from the front; `None`
/// if there are none or too many, or one is not below `end`.
fn places(object: &Bound<'_, PyAny>, length: usize, end: usize) -> PyResult<Option<Places>> {
    let named: Places = match (integer(object), array(object)) {
        (Some(one), _) => smallvec![one],
        (None, Some(several)) => {
            let several = several.get().inner()?;
            let is_plain = several.ndim() == 1 && can_index(several.dtype());
            if !is_plain || several.is_empty() || several.len() > MANY {
                return Ok(None);
            }
            let values = run::read(object.py(), &several.cast(DType::I64).raise()?)?;
            let (values, _) = values.as_bytes().as_chunks::<8>();
            let integers = values
                .iter()
                .map(|bytes| i64::from_ne_bytes(*bytes) as isize);
            integers.collect()
        }
        (None, None) => return Ok(None),
    };
    let from_front = |place: isize| {
        let place = if place < 0 {
            place + length as isize
        } else {
            place
        };
        (0..end as isize).contains(&place).then_some(place)
    };
    Ok(named.into_iter().map(from_front).collect())
}

/// The axis along which a function that flattens other arrays works.
fn axis_of(axis: &Bound<'_, PyAny>, ndim: usize) -> Option<usize> {
    match Axis::from_argument(axis, ndim)? {
        Axis::All => (ndim == 1).then_some(0),
        Axis::One(axis) => Some(axis),
    }
}

/// Positions of an axis, as a view.
fn part(of: &DynArray, axis: usize, positions: Range<usize>) -> PyResult<DynArray> {
    let mut view = of.viewing();
    let (start, count) = (positions.start as isize, positions.len());
    view.range(axis, start, 1, count).raise()?;
    Ok(view.done())
}

/// The array and the axis of a call; `None` if they are not plain.
fn operand<'a>(
    object: &'a Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<(&'a DynArray, usize)>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    Ok(axis_of(axis, inner.ndim()).map(|axis| (inner, axis)))
}

/// `np.delete` of one position or a few positions along an axis.
#[pyfunction]
pub(crate) fn delete_plain(
    object: &Bound<'_, PyAny>,
    places: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some((inner, axis)) = operand(object, axis)? else {
        return Ok(None);
    };
    let length = inner.shape()[axis];
    let Some(mut deleted) = self::places(places, length, length)? else {
        return Ok(None);
    };
    deleted.sort_unstable();
    deleted.dedup();
    let _entered = frame::enter(object.py());
    let (mut parts, mut start) = (Vec::with_capacity(deleted.len() + 1), 0);
    for end in deleted.iter().map(|place| *place as usize).chain([length]) {
        if start < end {
            parts.push(part(inner, axis, start..end)?);
        }
        start = end + 1;
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let made = DynArray::concatenate(&parts, axis).raise()?;
    Ok(Some(ResultArray::own(made)))
}

/// `np.insert` of one number before one position or a few positions along an axis, or of the
/// elements of a vector into a vector, one before each of several positions.
#[pyfunction]
pub(crate) fn insert_plain(
    object: &Bound<'_, PyAny>,
    places: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some((inner, axis)) = operand(object, axis)? else {
        return Ok(None);
    };
    let length = inner.shape()[axis];
    let Some(places) = self::places(places, length, length + 1)? else {
        return Ok(None);
    };
    let _entered = frame::enter(object.py());
    let values = match array(values) {
        Some(values) => {
            let values = values.get().inner()?;
            let is_plain = inner.ndim() == 1
                && values.ndim() == 1
                && values.dtype() == inner.dtype()
                && values.len() == places.len()
                && places.len() > 1;
            if !is_plain {
                return Ok(None);
            }
            values.clone()
        }
        None => match weak_value(values, inner.dtype())? {
            Some(value) => repeated(inner, axis, places.len(), value)?,
            None => return Ok(None),
        },
    };
    let mut order: SmallVec<[usize; 16]> = (0..places.len()).collect();
    order.sort_by_key(|number| places[*number]);
    let (mut parts, mut start) = (Vec::with_capacity(2 * order.len() + 1), 0);
    for number in order {
        let end = places[number] as usize;
        if start < end {
            parts.push(part(inner, axis, start..end)?);
        }
        parts.push(part(&values, axis, number..number + 1)?);
        start = end;
    }
    if start < length {
        parts.push(part(inner, axis, start..length)?);
    }
    let made = DynArray::concatenate(&parts, axis).raise()?;
    Ok(Some(ResultArray::own(made)))
}

/// A new array of one value, with `count` positions along an axis.
fn repeated(like: &DynArray, axis: usize, count: usize, value: Scalar) -> PyResult<DynArray> {
    let mut shape = like.shape().to_vec();
    shape[axis] = count;
    DynArray::full(&run::current()?, &shape, value).raise()
}
