//! Functions of the package that try a plain call first.
//!
//! A plain call enters no Python code of the package: two frames of Python cost as much as a small
//! operation. All other calls go to the function in Python, which applies all of NumPy's rules.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::frame::OneCall;
use crate::interrupt;

mod plain_calls;

/// Maximum number of parameters of a plain call.
const MOST: usize = 4;

/// The arguments of a plain call.
struct Given<'py> {
    py: Python<'py>,
    values: [Option<Bound<'py, PyAny>>; MOST],
    none: Bound<'py, PyAny>,
}

impl<'py> Given<'py> {
    /// Returns an argument; `None` of Python if it is not given.
    fn at(&self, at: usize) -> &Bound<'py, PyAny> {
        self.values[at].as_ref().unwrap_or(&self.none)
    }

    fn has(&self, at: usize) -> bool {
        self.values[at].is_some()
    }

    /// Converts the result of a plain call.
    fn result<T: IntoPyObject<'py>>(&self, made: Option<T>) -> PyResult<Option<Py<PyAny>>> {
        match made {
            Some(made) => Ok(Some(made.into_bound_py_any(self.py)?.unbind())),
            None => Ok(None),
        }
    }

    /// Returns `None` of Python if the call has written.
    fn written(&self, has_written: bool) -> PyResult<Option<Py<PyAny>>> {
        Ok(has_written.then(|| self.py.None()))
    }
}

/// A plain call.
struct Plain {
    /// The first parameters of the function. A call that gives others is not plain.
    parameters: &'static [&'static str],
    /// The number of parameters without defaults.
    required: usize,
    /// Returns `None`, and does nothing, if the call is not plain after all.
    call: for<'py> fn(&Given<'py>) -> PyResult<Option<Py<PyAny>>>,
}

/// A function of the package: a plain call in Rust, or else the function in Python.
#[pyclass(frozen, dict, weakref, module = "weft._core")]
pub(crate) struct Function {
    plain: &'static Plain,
    /// The names of the parameters, as Python interns them.
    names: Vec<Py<PyString>>,
    python: Py<PyAny>,
}

impl Function {
    /// Sorts arguments by parameter; `None` if the call gives others, lacks some, or gives one
    /// twice.
    fn given<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Option<Given<'py>> {
        let py = args.py();
        if args.len() > self.names.len() {
            return None;
        }
        let mut values = [const { None }; MOST];
        for (value, arg) in values.iter_mut().zip(args.iter_borrowed()) {
            *value = Some(arg.to_owned());
        }
        for (key, arg) in kwargs.into_iter().flatten() {
            let at = self.names.iter().position(|name| name.is(&key))?;
            if values[at].replace(arg).is_some() {
                return None;
            }
        }
        let has_all = values[..self.plain.required].iter().all(Option::is_some);
        has_all.then(|| Given {
            py,
            values,
            none: py.None().into_bound(py),
        })
    }
}

#[pymethods]
impl Function {
    /// Returns `python` with a plain call of this name, or `python` itself if there is none.
    #[staticmethod]
    fn wrap<'py>(name: &str, python: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = python.py();
        let Some(plain) = plain_calls::find(name) else {
            return Ok(python);
        };
        let names = plain.parameters.iter();
        let function = Function {
            plain,
            names: names
                .map(|name| PyString::intern(py, name).unbind())
                .collect(),
            python: python.clone().unbind(),
        };
        let made = Bound::new(py, function)?.into_any();
        let update = py.import("functools")?.getattr("update_wrapper")?;
        update.call1((made, python))
    }

    /// The names of the parameters of a plain call.
    #[getter]
    fn _plain(&self) -> Vec<&'static str> {
        self.plain.parameters.to_vec()
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        slf: &Bound<'_, Function>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (py, of) = (slf.py(), slf.get());
        if let Some(given) = of.given(args, kwargs) {
            let call = OneCall::begin();
            // The function in Python checks for other errors.
            let made = interrupt::unless_raised(py, || (of.plain.call)(&given))?;
            drop(call);
            if let Some(made) = made {
                return Ok(made);
            }
        }
        of.python.call(py, args, kwargs)
    }

    fn __get__<'py>(
        slf: Bound<'py, Function>,
        instance: Option<&Bound<'py, PyAny>>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match instance {
            Some(instance) if !instance.is_none() => {
                let method = slf.py().import("types")?.getattr("MethodType")?;
                method.call1((slf, instance))
            }
            _ => Ok(slf.into_any()),
        }
    }

    fn __repr__(slf: &Bound<'_, Function>) -> PyResult<String> {
        Ok(format!("<function {}>", slf.getattr("__qualname__")?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Function>) -> PyResult<Bound<'py, PyAny>> {
        slf.getattr("__qualname__")
    }
}
