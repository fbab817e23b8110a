//! New arrays.

use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::Scalar;

use super::array;
use crate::error::Raise;
use crate::kind::Made;
use crate::{frame, run, scalar};

/// `np.full_like` with a Python number whose kind the elements have: a float or an integer for floats, an integer that fits for
/// integers.
#[pyfunction]
pub(crate) fn full_like_plain(
    object: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<Made>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let of = of.get().layout()?;
    let dtype = of.dtype();
    let value = match scalar::python(value)? {
        Some(value) if dtype.is_float() && matches!(value, Scalar::F64(_) | Scalar::I64(_)) => {
            value
        }
        Some(value @ Scalar::I64(_)) if dtype.is_integer() && !value.is_beyond(dtype) => value,
        _ => return Ok(None),
    };
    let _entered = frame::enter(object.py());
    let made = DynArray::full(&run::current()?, of.shape(), value.cast(dtype));
    Ok(Some(Made::own(made.raise()?)))
}
