//! Weft's errors as Python's.

use pyo3::exceptions::{
    PyIndexError, PyMemoryError, PyNotImplementedError, PyOSError, PyOverflowError, PyRuntimeError,
    PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use weft::error::{CallError, Cause};

use crate::task::Raised;

/// Converts a mistake in a call's arguments.
pub(crate) fn call(error: CallError) -> PyErr {
    let text = error.to_string();
    match error {
        CallError::Broadcast { left, right, .. } => PyValueError::new_err(format!(
            "operands could not be broadcast together with shapes {} {}",
            tuple(&left),
            tuple(&right)
        )),
        CallError::Shape { .. } | CallError::Dimensions { .. } => PyValueError::new_err(text),
        CallError::DType { .. } | CallError::DTypes { .. } => PyTypeError::new_err(text),
        CallError::Value { value, dtype } => PyOverflowError::new_err(format!(
            "Python integer {value} out of bounds for {}",
            crate::dtype::numpy_name(dtype)
        )),
        CallError::Bounds {
            index,
            axis,
            length,
        } => PyIndexError::new_err(format!(
            "index {index} is out of bounds for axis {axis} with size {length}"
        )),
        CallError::Exponent => {
            PyValueError::new_err("Integers to negative integer powers are not allowed.")
        }
        CallError::NoUnified { .. } => PyValueError::new_err(text),
        CallError::Host { .. } => PyNotImplementedError::new_err(text),
        CallError::Interrupted => crate::run::interrupted(),
        CallError::NoCopy { .. } => PyMemoryError::new_err(text),
        CallError::Axis { axis, dims } => axis_error(axis as isize, dims),
        _ => PyRuntimeError::new_err(text),
    }
}

/// NumPy's error for an axis that an array does not have.
pub(crate) fn axis_error(axis: isize, dims: usize) -> PyErr {
    Python::attach(|py| {
        let made = py
            .import("numpy")
            .and_then(|numpy| numpy.getattr("exceptions")?.getattr("AxisError"))
            .and_then(|class| class.call1((axis, dims)));
        match made {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    })
}

fn tuple(dims: &[usize]) -> String {
    let inner: Vec<String> = dims.iter().map(usize::to_string).collect();
    match inner.as_slice() {
        [one] => format!("({one},)"),
        many => format!("({})", many.join(",")),
    }
}

/// Converts any error; the message of a failure has the line of the failed call.
pub(crate) fn any(error: weft::Error) -> PyErr {
    let text = error.to_string();
    match error {
        weft::Error::Call(error) => call(error),
        error if error.is_out_of_memory() => PyMemoryError::new_err(text),
        weft::Error::Failed(failure) => match &failure.cause {
            Cause::Index { .. } => PyIndexError::new_err(text),
            Cause::Exponent => PyValueError::new_err(text),
            Cause::Matrix { .. } => linalg_error(text),
            Cause::Body(error) => body_error(text, error.downcast_ref()),
            _ => PyRuntimeError::new_err(text),
        },
        weft::Error::Interrupted => crate::run::interrupted(),
        weft::Error::File(_) => PyOSError::new_err(text),
        weft::Error::Config(_) => PyValueError::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

/// Converts the error of a body; the exception that it raised becomes the cause.
fn body_error(text: String, raised: Option<&Raised>) -> PyErr {
    let error = PyRuntimeError::new_err(text);
    if let Some(raised) = raised {
        Python::attach(|py| error.set_cause(py, Some(raised.error(py))));
    }
    error
}

fn linalg_error(text: String) -> PyErr {
    Python::attach(|py| {
        let class = py
            .import("numpy")
            .and_then(|numpy| numpy.getattr("linalg")?.getattr("LinAlgError"));
        match class.and_then(|class| class.call1((text,))) {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    })
}

/// Conversion of the runtime's results to Python's.
pub(crate) trait Raise<T> {
    /// Turns the error into an exception.
    fn raise(self) -> PyResult<T>;
}

impl<T> Raise<T> for Result<T, CallError> {
    fn raise(self) -> PyResult<T> {
        self.map_err(call)
    }
}

impl<T> Raise<T> for Result<T, weft::Error> {
    fn raise(self) -> PyResult<T> {
        self.map_err(any)
    }
}
