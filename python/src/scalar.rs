//! Single values of Python and NumPy.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};
use weft::dtype::{Complex, DType, Scalar};

/// A Python `bool`, `int`, `float` or `complex`; `None` of anything else, subclasses among them.
///
/// # Errors
/// An integer does not fit 64 bits.
pub(crate) fn python(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(Some(Scalar::F64(object.extract()?)));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return integer(object).map(Some);
    }
    if let Ok(value) = object.cast_exact::<PyBool>() {
        return Ok(Some(Scalar::Bool(value.is_true())));
    }
    if object.is_exact_instance_of::<PyComplex>() {
        return Ok(Some(Scalar::C128(complex(object)?)));
    }
    Ok(None)
}

fn complex(object: &Bound<'_, PyAny>) -> PyResult<Complex<f64>> {
    Ok(Complex::new(
        object.getattr("real")?.extract()?,
        object.getattr("imag")?.extract()?,
    ))
}

fn integer(object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    if let Ok(value) = object.extract::<i64>() {
        return Ok(Scalar::I64(value));
    }
    match object.extract::<u64>() {
        Ok(value) => Ok(Scalar::U64(value)),
        Err(_) => Err(PyOverflowError::new_err(
            "Python integer is too large for any integer dtype",
        )),
    }
}

/// Any object that is a number, as a value of a dtype. Integers must fit where the dtype is one of integers.
pub(crate) fn of_dtype(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Scalar> {
    let scalar = match python(object)? {
        Some(scalar) => scalar,
        None => {
            let item = object.call_method0("item")?;
            python(&item)?.ok_or_else(|| {
                PyTypeError::new_err(format!("{object} is not a number that Weft's arrays hold"))
            })?
        }
    };
    if scalar.is_beyond(dtype) {
        return Err(PyOverflowError::new_err(format!(
            "Python integer {scalar} out of bounds for {}",
            crate::dtype::numpy_name(dtype)
        )));
    }
    Ok(scalar.cast(dtype))
}

/// The Python number of a value.
pub(crate) fn to_python(py: Python<'_>, scalar: Scalar) -> PyResult<Py<PyAny>> {
    Ok(match scalar {
        Scalar::Bool(value) => PyBool::new(py, value).to_owned().into_any().unbind(),
        Scalar::F16(value) => PyFloat::new(py, f64::from(value)).into_any().unbind(),
        Scalar::F32(value) => PyFloat::new(py, f64::from(value)).into_any().unbind(),
        Scalar::F64(value) => PyFloat::new(py, value).into_any().unbind(),
        Scalar::C64(value) => PyComplex::from_doubles(py, f64::from(value.re), f64::from(value.im))
            .into_any()
            .unbind(),
        Scalar::C128(value) => PyComplex::from_doubles(py, value.re, value.im)
            .into_any()
            .unbind(),
        integer => match integer.integer() {
            Some(value) => value.into_pyobject(py)?.into_any().unbind(),
            None => py.None(),
        },
    })
}
