//! Operands of universal functions: arrays, and single values, which are weak (Python's) or have a
//! dtype (NumPy's).

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFloat, PyList, PyTuple, PyType};
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::program::{Value, ValueRef};

use crate::array::Array;
use crate::scalar::LargeInteger;
use crate::{dtype, hooks, known, scalar};

/// The type of an operand for promotion: the number of a dtype, or one of the kinds below.
pub(crate) type Code = u8;

/// A Python `int`.
pub(crate) const WEAK_INT: Code = 14;
/// A Python `float`.
pub(crate) const WEAK_FLOAT: Code = 15;
/// A Python `complex`.
pub(crate) const WEAK_COMPLEX: Code = 16;

/// The value of an operand.
pub(crate) enum OperandValue<'a> {
    /// An array of the program.
    Array(&'a DynArray),
    /// An array created for the call.
    Made(Box<DynArray>),
    /// A single value.
    Scalar(Scalar),
    /// A Python integer that no integer dtype holds.
    Large(LargeInteger),
}

impl OperandValue<'_> {
    /// Returns a value to keep. A large integer becomes the one that replaces it in comparisons
    /// with integers.
    pub(crate) fn into_value(self) -> Value {
        match self {
            OperandValue::Array(array) => Value::Array(array.clone()),
            OperandValue::Made(array) => Value::Array(*array),
            OperandValue::Scalar(value) => Value::Scalar(value),
            OperandValue::Large(value) => Value::Scalar(value.beyond_integers()),
        }
    }
}

/// One operand.
pub(crate) struct Operand<'a> {
    pub(crate) value: OperandValue<'a>,
    pub(crate) code: Code,
    /// Whether the operand is a number whose value is computed later. Its results are deferred,
    /// too.
    pub(crate) is_deferred: bool,
}

impl<'a> Operand<'a> {
    /// Copies the operand.
    pub(crate) fn again(&self, py: Python<'_>) -> Operand<'a> {
        let value = match &self.value {
            OperandValue::Array(array) => OperandValue::Array(array),
            OperandValue::Made(array) => OperandValue::Made(array.clone()),
            OperandValue::Scalar(value) => OperandValue::Scalar(*value),
            OperandValue::Large(value) => OperandValue::Large(value.again(py)),
        };
        Operand { value, ..*self }
    }

    /// Returns the dtype of the value; for a Python number, the one in which it arrives.
    pub(crate) fn dtype(&self) -> DType {
        match &self.value {
            OperandValue::Array(array) => array.dtype(),
            OperandValue::Made(array) => array.dtype(),
            OperandValue::Scalar(value) => value.dtype(),
            OperandValue::Large(value) => value.beyond_integers().dtype(),
        }
    }

    /// Creates an operand from an array; from its single value if that is available without
    /// waiting.
    pub(crate) fn array(array: &'a Array) -> PyResult<Operand<'a>> {
        if let Some(value) = array.value_now() {
            return Ok(Operand {
                is_deferred: array.is_number(),
                ..Operand::typed(value)
            });
        }
        let inner = array.values()?;
        Ok(Operand {
            code: dtype::index(inner.dtype()),
            value: match inner {
                Cow::Borrowed(inner) => OperandValue::Array(inner),
                Cow::Owned(inner) => OperandValue::Made(Box::new(inner)),
            },
            is_deferred: array.is_number(),
        })
    }

    /// Creates an operand from a single value with a dtype.
    fn typed(value: Scalar) -> Operand<'a> {
        Operand {
            code: dtype::index(value.dtype()),
            value: OperandValue::Scalar(value),
            is_deferred: false,
        }
    }

    /// Creates an operand from an array that was created for the call.
    fn from_array(array: &Array) -> PyResult<Operand<'a>> {
        let Operand {
            value,
            code,
            is_deferred,
        } = Operand::array(array)?;
        let value = match value.into_value() {
            Value::Array(array) => OperandValue::Made(Box::new(array)),
            Value::Scalar(value) => OperandValue::Scalar(value),
        };
        Ok(Operand {
            value,
            code,
            is_deferred,
        })
    }

    fn weak(value: Scalar) -> Operand<'a> {
        let code = match value {
            Scalar::Bool(_) => dtype::index(DType::Bool),
            Scalar::F64(_) => WEAK_FLOAT,
            Scalar::C128(_) => WEAK_COMPLEX,
            _ => WEAK_INT,
        };
        Operand {
            value: OperandValue::Scalar(value),
            code,
            is_deferred: false,
        }
    }

    /// Converts any array-like object; `None` if Weft's arrays cannot hold its elements.
    pub(crate) fn try_convert(object: &'a Bound<'_, PyAny>) -> PyResult<Option<Operand<'a>>> {
        if let Some(known) = Operand::convert_common(object)? {
            return Ok(Some(known));
        }
        let array = hooks::asarray(object)?;
        let array = array.cast::<Array>().ok();
        array
            .map(|array| Operand::from_array(array.get()))
            .transpose()
    }

    /// Converts any array-like object.
    ///
    /// # Errors
    /// Returns an error if Weft's arrays cannot hold its elements.
    pub(crate) fn convert(object: &'a Bound<'_, PyAny>) -> PyResult<Operand<'a>> {
        Operand::try_convert(object)?.ok_or_else(|| {
            let kind = object.get_type();
            PyTypeError::new_err(format!("Weft's arrays cannot hold elements of {kind}"))
        })
    }

    /// Converts the other operand of an expression with an array; `None` if Weft does not convert
    /// such objects by itself.
    pub(crate) fn convert_other(object: &'a Bound<'_, PyAny>) -> PyResult<Option<Operand<'a>>> {
        if let Some(known) = Operand::convert_common(object)? {
            return Ok(Some(known));
        }
        // An array of a subclass of NumPy's computes by itself (see `make` of the package).
        let is_array_like = object.is_exact_instance_of::<PyList>()
            || object.is_exact_instance_of::<PyTuple>()
            || object.is_instance(numpy_ndarray(object.py())?)?
            || (object.hasattr("__array__")? && !object.hasattr("__array_ufunc__")?);
        if !is_array_like {
            return Ok(None);
        }
        let array = hooks::asarray(object)?;
        // Elements that Weft cannot hold stay in NumPy's array.
        let array = array.cast::<Array>().ok();
        array
            .map(|array| Operand::from_array(array.get()))
            .transpose()
    }

    /// Converts arrays and numbers, the most common operands; `None` for other objects.
    pub(crate) fn convert_common(object: &'a Bound<'_, PyAny>) -> PyResult<Option<Operand<'a>>> {
        if let Ok(array) = object.cast::<Array>() {
            return Operand::array(array.get()).map(Some);
        }
        if let Some(value) = scalar::python(object)? {
            return Ok(Some(Operand::weak(value)));
        }
        if let Some(value) = known::convert(object) {
            return Ok(Some(Operand::typed(value)));
        }
        if let Some(value) = LargeInteger::convert(object)? {
            return Ok(Some(Operand {
                value: OperandValue::Large(value),
                code: WEAK_INT,
                is_deferred: false,
            }));
        }
        // NumPy's `float64` is a `float`.
        if let Ok(value) = object.cast::<PyFloat>()
            && object.get_type().is(numpy_float(object.py())?)
        {
            return Ok(Some(Operand::typed(Scalar::F64(value.value()))));
        }
        if object.is_instance(numpy_generic(object.py())?)? {
            let Some(dtype) = dtype::from_numpy(&object.getattr("dtype")?)? else {
                return Ok(None);
            };
            let value = scalar::convert_to(object, dtype)?;
            return Ok(Some(Operand::typed(value)));
        }
        Ok(None)
    }

    /// Returns the value in a dtype, if it has that dtype or is a single value that fits.
    #[inline]
    pub(crate) fn as_dtype(&self, dtype: DType) -> Option<ValueRef<'_>> {
        let array: &DynArray = match &self.value {
            OperandValue::Array(array) => array,
            OperandValue::Made(array) => array,
            OperandValue::Scalar(value) => {
                return (!value.is_beyond(dtype)).then(|| ValueRef::Scalar(value.cast(dtype)));
            }
            OperandValue::Large(_) => return None,
        };
        (array.dtype() == dtype).then_some(ValueRef::Array(array))
    }

    /// # Errors
    /// Returns an error if a Python integer is out of the dtype's range.
    pub(crate) fn check_fits(&self, dtype: DType) -> PyResult<()> {
        match &self.value {
            OperandValue::Scalar(value) if value.is_beyond(dtype) && self.code == WEAK_INT => {
                Err(beyond(*value, dtype))
            }
            OperandValue::Large(value) => value.cast(dtype).map(drop),
            _ => Ok(()),
        }
    }

    /// Returns whether this is a Python integer beyond `int64`, which NumPy's functions of one
    /// operand take as an array.
    pub(crate) fn is_beyond_int64(&self) -> bool {
        match &self.value {
            OperandValue::Scalar(value) => self.code == WEAK_INT && value.is_beyond(DType::I64),
            OperandValue::Large(_) => true,
            _ => false,
        }
    }

    /// Casts the operand to a dtype.
    ///
    /// # Errors
    /// Returns an error if a Python integer is out of the dtype's range.
    pub(crate) fn cast(self, dtype: DType) -> PyResult<Value> {
        use crate::error::Raise;
        match self.value {
            OperandValue::Array(array) => Ok(Value::Array(array.cast(dtype).raise()?)),
            OperandValue::Made(array) => Ok(Value::Array(array.cast(dtype).raise()?)),
            OperandValue::Scalar(value) if value.is_beyond(dtype) && self.code == WEAK_INT => {
                Err(beyond(value, dtype))
            }
            OperandValue::Scalar(value) => Ok(Value::Scalar(value.cast(dtype))),
            OperandValue::Large(value) => Ok(Value::Scalar(value.cast(dtype)?)),
        }
    }
}

fn beyond(value: Scalar, dtype: DType) -> PyErr {
    crate::error::call(weft::error::CallError::Value { value, dtype })
}

fn numpy_type<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyType>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyType>> {
    cell.import(py, "numpy", name)
}

fn numpy_float(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static FLOAT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    numpy_type(py, &FLOAT, "float64")
}

pub(crate) fn numpy_generic(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static GENERIC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    numpy_type(py, &GENERIC, "generic")
}

pub(crate) fn numpy_ndarray(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static NDARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    numpy_type(py, &NDARRAY, "ndarray")
}
