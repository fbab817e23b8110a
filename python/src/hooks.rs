//! Python functions that Rust calls for uncommon cases.

use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use weft::dtype::DType;

use crate::operand::{numpy_generic, numpy_ndarray};
use crate::run;

/// The registered Python functions.
struct Hooks {
    /// `asarray(object)`: an array of any object.
    asarray: Py<PyAny>,
    /// `getitem(array, key)` with a key that is not basic.
    getitem: Py<PyAny>,
    /// `setitem(array, key, value)` of any kind.
    setitem: Py<PyAny>,
    /// `call(ufunc, args, kwargs)` of a universal function in any form.
    call: Py<PyAny>,
    /// `array_ufunc(array, ufunc, method, inputs, kwargs)`: any call through NumPy's
    /// `__array_ufunc__`.
    array_ufunc: Py<PyAny>,
    /// `matmul(array, other, is_swapped)`: the operator `@` with operands of any kind.
    matmul: Py<PyAny>,
}

static HOOKS: PyOnceLock<Hooks> = PyOnceLock::new();

/// Registers the Python functions, when the package is imported.
#[pyfunction]
pub(crate) fn register(
    py: Python<'_>,
    asarray: Py<PyAny>,
    getitem: Py<PyAny>,
    setitem: Py<PyAny>,
    call: Py<PyAny>,
    array_ufunc: Py<PyAny>,
    matmul: Py<PyAny>,
) {
    weft::runtime::around_waits(run::AROUND);
    let _ = HOOKS.set(
        py,
        Hooks {
            asarray,
            getitem,
            setitem,
            call,
            array_ufunc,
            matmul,
        },
    );
}

fn hooks(py: Python<'_>) -> PyResult<&Hooks> {
    HOOKS
        .get(py)
        .ok_or_else(|| PyRuntimeError::new_err("weft._core is used without the package weft"))
}

pub(crate) fn asarray<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    hooks(py)?.asarray.bind(py).call1((object,))
}

/// Warns, as NumPy does, if a cast from one dtype to the other loses imaginary parts.
///
/// # Errors
/// The program turned the warning into an error.
pub(crate) fn check_parts(py: Python<'_>, from: DType, to: DType) -> PyResult<()> {
    if from.is_complex() && !to.is_complex() && !to.is_bool() {
        let caller = py.import(intern!(py, "weft.numpy._caller"))?;
        caller.call_method0(intern!(py, "warn_of_complex"))?;
    }
    Ok(())
}

/// Returns whether operators leave the computation to `object`, by NumPy's rules: NumPy arrays that
/// Weft cannot hold, objects that refuse universal functions, and objects of a higher priority.
pub(crate) fn is_deferred_to(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    if object.is_instance(numpy_generic(py)?)? || object.is_instance(numpy_ndarray(py)?)? {
        return Ok(true);
    }
    if let Some(theirs) = object
        .get_type()
        .getattr_opt(intern!(py, "__array_ufunc__"))?
    {
        return Ok(theirs.is_none());
    }
    let priority = object.getattr_opt(intern!(py, "__array_priority__"))?;
    Ok(priority
        .is_some_and(|priority| priority.extract().is_ok_and(|priority: f64| priority > 0.0)))
}

pub(crate) fn getitem(array: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = array.py();
    Ok(hooks(py)?.getitem.bind(py).call1((array, key))?.unbind())
}

pub(crate) fn setitem(
    array: &Bound<'_, PyAny>,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let py = array.py();
    hooks(py)?.setitem.bind(py).call1((array, key, value))?;
    Ok(())
}

pub(crate) fn call(
    ufunc: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let py = ufunc.py();
    let kwargs = match kwargs {
        Some(kwargs) => kwargs.clone(),
        None => PyDict::new(py),
    };
    Ok(hooks(py)?
        .call
        .bind(py)
        .call1((ufunc, args, kwargs))?
        .unbind())
}

pub(crate) fn array_ufunc(
    array: &Bound<'_, PyAny>,
    ufunc: &Bound<'_, PyAny>,
    method: &str,
    inputs: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let py = ufunc.py();
    let args = (array, ufunc, method, inputs, kwargs);
    Ok(hooks(py)?.array_ufunc.bind(py).call1(args)?.unbind())
}

pub(crate) fn matmul(
    array: &Bound<'_, PyAny>,
    other: &Bound<'_, PyAny>,
    is_swapped: bool,
) -> PyResult<Py<PyAny>> {
    let py = array.py();
    let args = (array, other, is_swapped);
    Ok(hooks(py)?.matmul.bind(py).call1(args)?.unbind())
}
