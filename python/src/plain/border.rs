//! Arrays with borders, of blocks, and with zeros on a side of a diagonal.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use smallvec::SmallVec;
use weft::DynArray;
use weft::dtype::Scalar;
use weft::program::PadMode;
use weft::shape::MAX_DIMS;

use super::{array, integer, items};
use crate::error::Raise;
use crate::frame;
use crate::kind::ResultArray;

type Widths = SmallVec<[(usize, usize); MAX_DIMS]>;

/// A width before and one after: two integers.
fn pair(object: &Bound<'_, PyAny>) -> Option<(usize, usize)> {
    let items = items(object)?;
    let [before, after] = &items[..] else {
        return None;
    };
    let width = |object: &Bound<'_, PyAny>| usize::try_from(integer(object)?).ok();
    Some((width(before)?, width(after)?))
}

/// The widths along each axis, given by one integer, one pair, or a pair for each axis.
fn widths(object: &Bound<'_, PyAny>, ndim: usize) -> Option<Widths> {
    if let Some(width) = integer(object) {
        let width = usize::try_from(width).ok()?;
        return Some(SmallVec::from_elem((width, width), ndim));
    }
    if let Some(pair) = pair(object) {
        return Some(SmallVec::from_elem(pair, ndim));
    }
    let widths: Widths = items(object)?.iter().map(pair).collect::<Option<_>>()?;
    match &widths[..] {
        [one] => Some(SmallVec::from_elem(*one, ndim)),
        _ => (widths.len() == ndim).then_some(widths),
    }
}

/// `np.pad` with zeros, or with elements of the array.
#[pyfunction]
pub(crate) fn pad_plain(
    object: &Bound<'_, PyAny>,
    widths: &Bound<'_, PyAny>,
    mode: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Ok(mode)) = (array(object), mode.cast_exact::<PyString>()) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let Some(widths) = self::widths(widths, inner.ndim()) else {
        return Ok(None);
    };
    let mode = match mode.to_str()? {
        "constant" => PadMode::Constant(Scalar::zero(inner.dtype())),
        "edge" => PadMode::Edge,
        "reflect" => PadMode::Reflect,
        "symmetric" => PadMode::Symmetric,
        "wrap" => PadMode::Wrap,
        _ => return Ok(None),
    };
    // The product of large widths is refused in Python, with NumPy's words.
    let is_large = widths
        .iter()
        .any(|(before, after)| *before.max(after) >= 1 << 40);
    if inner.is_empty() || inner.ndim() == 0 || is_large {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    Ok(Some(ResultArray::own(inner.pad(&widths, mode).raise()?)))
}

/// `np.block` of a list of lists of matrices that have one dtype and fit together.
#[pyfunction]
pub(crate) fn block_plain(arrays: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Ok(lists) = arrays.cast_exact::<PyList>() else {
        return Ok(None);
    };
    let mut rows: Vec<Vec<DynArray>> = Vec::with_capacity(lists.len());
    for list in lists.iter() {
        let Ok(list) = list.cast_exact::<PyList>() else {
            return Ok(None);
        };
        let mut row: Vec<DynArray> = Vec::with_capacity(list.len());
        for object in list.iter() {
            let Some(one) = array(&object) else {
                return Ok(None);
            };
            let one = one.get().inner()?;
            let first = rows.first().unwrap_or(&row).first().unwrap_or(one);
            let beside = row.first().unwrap_or(one);
            let fits = one.ndim() == 2
                && one.dtype() == first.dtype()
                && one.shape()[0] == beside.shape()[0];
            if !fits {
                return Ok(None);
            }
            row.push(one.clone());
        }
        let columns = |row: &[DynArray]| row.iter().map(|one| one.shape()[1]).sum::<usize>();
        let is_as_wide = |first: &Vec<DynArray>| columns(first) == columns(&row);
        if row.is_empty() || !rows.first().is_none_or(is_as_wide) {
            return Ok(None);
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Ok(None);
    }
    let _entered = frame::enter(arrays.py());
    Ok(Some(ResultArray::own(DynArray::block(&rows).raise()?)))
}

/// `np.triu` if it `is_upper`, otherwise `np.tril`, of an array with two axes at least.
#[pyfunction]
pub(crate) fn triangle_plain(
    object: &Bound<'_, PyAny>,
    diagonal: &Bound<'_, PyAny>,
    is_upper: bool,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(diagonal)) = (array(object), integer(diagonal)) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    if inner.ndim() < 2 || inner.is_empty() {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    let made = match is_upper {
        true => inner.triu(diagonal).raise()?,
        false => inner.tril(diagonal).raise()?,
    };
    Ok(Some(ResultArray::own(made)))
}
