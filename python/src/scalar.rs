//! Single values of Python and NumPy.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};
use weft::dtype::{Complex, DType, Scalar};

/// A Python integer that no integer dtype holds.
pub(crate) struct LargeInteger {
    object: Py<PyInt>,
    /// The nearest `float64`; an infinity if the integer is beyond all of them.
    nearest: f64,
}

impl LargeInteger {
    /// Copies the integer.
    pub(crate) fn again(&self, py: Python<'_>) -> LargeInteger {
        LargeInteger {
            object: self.object.clone_ref(py),
            nearest: self.nearest,
        }
    }

    /// Converts such an integer; `None` for other objects.
    pub(crate) fn convert(object: &Bound<'_, PyAny>) -> PyResult<Option<LargeInteger>> {
        let Ok(value) = object.cast_exact::<PyInt>() else {
            return Ok(None);
        };
        if integer(object).is_some() {
            return Ok(None);
        }
        let nearest = match object.extract::<f64>() {
            Ok(nearest) => nearest,
            Err(_) if object.lt(0)? => f64::NEG_INFINITY,
            Err(_) => f64::INFINITY,
        };
        Ok(Some(LargeInteger {
            object: value.clone().unbind(),
            nearest,
        }))
    }

    /// The integer itself.
    pub(crate) fn object(&self, py: Python<'_>) -> Py<PyAny> {
        self.object.clone_ref(py).into_any()
    }

    /// The infinity that is compared in its place with the integers of a dtype: it is on the same
    /// side of all of them.
    pub(crate) fn beyond_integers(&self) -> Scalar {
        Scalar::F64(f64::INFINITY.copysign(self.nearest))
    }

    /// The integer as a value of a dtype of floats or complex numbers.
    ///
    /// # Errors
    /// Returns an error if the dtype is one of integers, or the integer is beyond all floats.
    pub(crate) fn cast(&self, dtype: DType) -> PyResult<Scalar> {
        let why = match dtype {
            DType::Bool | DType::I64 => "Python int too large to convert to C long".to_owned(),
            _ if dtype.is_integer() => Python::attach(|py| {
                let name = crate::dtype::numpy_name(dtype);
                format!(
                    "Python integer {} out of bounds for {name}",
                    self.object.bind(py)
                )
            }),
            _ if self.nearest.is_infinite() => "int too large to convert to float".to_owned(),
            _ => return Ok(Scalar::F64(self.nearest).cast(dtype)),
        };
        Err(PyOverflowError::new_err(why))
    }
}

/// Converts a Python `bool`, `int` of at most 64 bits, `float` or `complex`; `None` for other
/// objects, including those of subclasses.
pub(crate) fn python(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(Some(Scalar::F64(object.extract()?)));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return Ok(integer(object));
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

fn integer(object: &Bound<'_, PyAny>) -> Option<Scalar> {
    if let Ok(value) = object.extract::<i64>() {
        return Some(Scalar::I64(value));
    }
    object.extract::<u64>().ok().map(Scalar::U64)
}

/// Converts any object that is a number to a value of a dtype. Integers must fit if the dtype is an
/// integer type.
pub(crate) fn convert_to(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Scalar> {
    let scalar = match python(object)? {
        Some(scalar) => scalar,
        None => {
            if let Some(large) = LargeInteger::convert(object)? {
                return large.cast(dtype);
            }
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
