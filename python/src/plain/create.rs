//! New arrays.

use pyo3::prelude::*;
use pyo3::types::PyFloat;
use smallvec::{SmallVec, smallvec};
use weft::DynArray;
use weft::dtype::{DType, Scalar};

use super::{array, integer, items};
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::primitive::weak_value;
use crate::{dtype, frame, run};

/// `np.full_like` with a Python number whose kind the elements have: a float or an integer for
/// floats, an integer that fits for integers.
#[pyfunction]
pub(crate) fn full_like_plain(
    object: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let of = of.get().layout()?;
    let dtype = of.dtype();
    let Some(value) = weak_value(value, dtype)? else {
        return Ok(None);
    };
    let _entered = frame::enter(object.py());
    let made = DynArray::full(&run::current()?, of.shape(), value);
    Ok(Some(ResultArray::own(made.raise()?)))
}

/// `np.arange` of Python integers that floats represent exactly: NumPy computes the length in
/// floats.
#[pyfunction]
pub(crate) fn arange_plain(
    start: &Bound<'_, PyAny>,
    stop: &Bound<'_, PyAny>,
    step: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some(first) = integer(start) else {
        return Ok(None);
    };
    let (first, last) = match stop.is_none() {
        true => (0, first),
        false => match integer(stop) {
            Some(last) => (first, last),
            None => return Ok(None),
        },
    };
    let step = match integer(step) {
        Some(step) if step != 0 => step as i64,
        _ => return Ok(None),
    };
    let is_exact = |value: i64| value.unsigned_abs() <= 1 << 52;
    if ![first as i64, last as i64, step].into_iter().all(is_exact) {
        return Ok(None);
    }
    let distance = last as i64 - first as i64;
    let length = match (distance > 0) == (step > 0) {
        true => distance.unsigned_abs().div_ceil(step.unsigned_abs()),
        false => 0,
    };
    // Longer ranges are refused in Python, with NumPy's words.
    let Some(count) = usize::try_from(length)
        .ok()
        .filter(|count| (1..1 << 40).contains(count))
    else {
        return Ok(None);
    };
    let _entered = frame::enter(start.py());
    let (first, step) = (Scalar::I64(first as i64), Scalar::I64(step));
    let made = DynArray::arange(&run::current()?, first, step, count);
    Ok(Some(ResultArray::own(made.raise()?)))
}

/// `x.astype`: a copy with the elements cast. Casts from complex to real numbers warn, and are not
/// plain.
#[pyfunction]
pub(crate) fn astype_plain(
    object: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(dtype)) = (array(object), dtype::from_class_or_name(dtype)?) else {
        return Ok(None);
    };
    let inner = of.get().values()?;
    if inner.dtype().is_complex() && !dtype.is_complex() {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    let made = match inner.dtype() == dtype {
        true => inner.copy(),
        false => inner.cast(dtype),
    };
    Ok(Some(ResultArray::own(made.raise()?)))
}

/// `np.array` of a list or tuple of Python's floats and integers, or of such lists of one length.
#[pyfunction]
pub(crate) fn array_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(items) = items(object) else {
        return Ok(None);
    };
    let mut numbers = Numbers::default();
    let rows = items.len();
    let mut dims: SmallVec<[usize; 2]> = smallvec![rows];
    for item in &items {
        match self::items(item) {
            None if dims.len() == 1 => {
                if !numbers.add(item) {
                    return Ok(None);
                }
            }
            Some(row) if numbers.floats.is_empty() || dims.get(1) == Some(&row.len()) => {
                dims = smallvec![rows, row.len()];
                if !row.iter().all(|one| numbers.add(one)) {
                    return Ok(None);
                }
            }
            _ => return Ok(None),
        }
    }
    if numbers.floats.len() != dims.iter().product::<usize>() || numbers.floats.is_empty() {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    let runtime = run::current()?;
    let made = match numbers.has_floats {
        true => DynArray::from_vec(&runtime, &dims, numbers.floats),
        false => DynArray::from_vec(&runtime, &dims, numbers.integers),
    };
    Ok(Some(ResultArray::own(made.raise()?)))
}

/// Python's numbers, as floats and, unless there are floats, as integers.
#[derive(Default)]
struct Numbers {
    floats: Vec<f64>,
    integers: Vec<i64>,
    has_floats: bool,
}

impl Numbers {
    /// Adds a number. Returns `false` for other objects, and for integers that floats round or 64
    /// bits do not hold.
    fn add(&mut self, object: &Bound<'_, PyAny>) -> bool {
        if let Ok(float) = object.cast_exact::<PyFloat>() {
            self.has_floats = true;
            self.floats.push(float.value());
            return true;
        }
        let Some(value) = integer(object).filter(|value| value.unsigned_abs() <= 1 << 53) else {
            return false;
        };
        self.floats.push(value as f64);
        self.integers.push(value as i64);
        true
    }
}

/// `np.linspace` between two Python numbers whose distance is finite.
#[pyfunction]
pub(crate) fn linspace_plain(
    start: &Bound<'_, PyAny>,
    stop: &Bound<'_, PyAny>,
    num: &Bound<'_, PyAny>,
    endpoint: bool,
) -> PyResult<Option<ResultArray>> {
    let ends = [start, stop].map(|end| weak_value(end, DType::F64));
    let [Ok(Some(Scalar::F64(first))), Ok(Some(Scalar::F64(last)))] = ends else {
        return Ok(None);
    };
    let count = integer(num).and_then(|num| usize::try_from(num).ok());
    let Some(count) = count.filter(|count| (1..1 << 40).contains(count)) else {
        return Ok(None);
    };
    // NumPy adds the start to 0, which loses the sign of a zero.
    if !(last - first).is_finite() || (first == 0.0 && first.is_sign_negative()) {
        return Ok(None);
    }
    let _entered = frame::enter(start.py());
    let made = DynArray::linspace(&run::current()?, first, last, count, endpoint);
    Ok(Some(ResultArray::own(made.raise()?)))
}
