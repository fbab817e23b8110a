//! Parameters of a task and the arguments of a call.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use smallvec::SmallVec;
use weft::dtype::{DType, Scalar};
use weft::task::{Argument, Builder, Kind, Reduction, Stored};

use crate::array::Array;
use crate::dtype::{DTypeArgument, numpy_name};
use crate::operand::numpy_ndarray;
use crate::{hooks, scalar};

/// A parameter of a task, as its annotation describes it.
pub(crate) struct Parameter {
    text: String,
    kind: Kind,
    dtype: Option<DType>,
    axes: Option<usize>,
    default: Option<Py<PyAny>>,
}

impl<'py> FromPyObject<'_, 'py> for Parameter {
    type Error = PyErr;

    /// Parses `(name, kind, dtype, axes, default)`, with the default in a tuple.
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Parameter> {
        type Described = (
            String,
            String,
            Option<DTypeArgument>,
            Option<usize>,
            Option<(Py<PyAny>,)>,
        );
        let (name, kind, dtype, axes, default): Described = object.extract()?;
        let kind = match kind.as_str() {
            "in" => Kind::In,
            "out" => Kind::Out,
            "inout" => Kind::InOut,
            "value" => Kind::Scalar,
            "unbound" => Kind::Unbound,
            other => match Reduction::from_name(other) {
                Some(reduction) => Kind::Reduce(reduction),
                None => {
                    return Err(PyValueError::new_err(format!(
                        "{other}: no kind of parameter"
                    )));
                }
            },
        };
        Ok(Parameter {
            text: name,
            kind,
            dtype: dtype.map(|dtype| dtype.0),
            axes,
            default: default.map(|(default,)| default),
        })
    }
}

/// Returns the arguments of a call by parameter; `None` if the default applies.
pub(super) fn bind<'py>(
    task: &str,
    parameters: &[Parameter],
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<SmallVec<[Option<Bound<'py, PyAny>>; 6]>> {
    let wrong = |why: String| Err(PyTypeError::new_err(format!("{task}: {why}")));
    let (given, wanted) = (args.len(), parameters.len());
    if given > wanted {
        return wrong(format!("{given} arguments for {wanted} parameters"));
    }
    let mut bound: SmallVec<[Option<Bound<'py, PyAny>>; 6]> = args.iter().map(Some).collect();
    bound.resize(wanted, None);
    for (name, value) in kwargs.into_iter().flatten() {
        let name: String = name.extract()?;
        let Some(at) = parameters.iter().position(|one| one.text == name) else {
            let known: Vec<&str> = parameters.iter().map(|one| one.text.as_str()).collect();
            return wrong(format!(
                "unknown parameter `{name}`; use one of {}",
                known.join(", ")
            ));
        };
        if bound[at].replace(value).is_some() {
            return wrong(format!("{name} is given twice"));
        }
    }
    let missing = parameters.iter().zip(&bound);
    let missing = missing.filter(|(one, given)| given.is_none() && one.default.is_none());
    let missing: Vec<&str> = missing.map(|(one, _)| one.text.as_str()).collect();
    match missing.as_slice() {
        [] => Ok(bound),
        [one] => wrong(format!("the argument {one} is missing")),
        many => wrong(format!("the arguments {} are missing", many.join(", "))),
    }
}

impl Parameter {
    /// Returns whether a call passes an argument for this parameter.
    pub(super) fn is_given(&self) -> bool {
        self.kind != Kind::Unbound
    }

    /// Adds the parameter to a definition.
    pub(super) fn add_to(&self, builder: Builder) -> Builder {
        let axes = match self.kind {
            Kind::Unbound => Some(1),
            _ => self.axes,
        };
        builder.parameter(&self.text, self.kind, self.dtype, axes)
    }

    /// Returns the parameter as written in a signature.
    pub(super) fn described(&self) -> String {
        let kind = match self.kind {
            Kind::In => "In".to_owned(),
            Kind::Out => "Out".to_owned(),
            Kind::InOut => "InOut".to_owned(),
            Kind::Reduce(reduction) => format!("Reduce[{}]", reduction.name().to_uppercase()),
            Kind::Unbound => "Unbound".to_owned(),
            Kind::Scalar => self.dtype.map_or("value", numpy_name).to_owned(),
        };
        format!("{}: {kind}", self.text)
    }

    /// Returns the default value as an argument.
    pub(super) fn default(&self, task: &str) -> PyResult<Argument<'static>> {
        Python::attach(|py| match &self.default {
            Some(default) => self.value(task, default.bind(py)).map(Argument::Scalar),
            None => Err(self.wrong(task, "it is missing")),
        })
    }

    /// Returns the array that the task writes, if the object is an array.
    pub(super) fn written<'a>(&self, object: &'a Bound<'_, PyAny>) -> Option<&'a Array> {
        if matches!(self.kind, Kind::Scalar | Kind::In) {
            return None;
        }
        object.cast::<Array>().ok().map(|array| array.get())
    }

    /// Converts an object to an argument.
    pub(super) fn argument(
        &self,
        task: &str,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<Argument<'static>> {
        if self.kind == Kind::Scalar {
            return self.value(task, object).map(Argument::Scalar);
        }
        let py = object.py();
        if let Ok(array) = object.cast::<Array>() {
            if self.kind != Kind::In {
                self.check_writeable(task, array.get())?;
            }
            return Ok(array.get().inner()?.stored().clone().into());
        }
        let is_numpys = object.is_instance(numpy_ndarray(py)?)?;
        let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
        let kind = object.get_type().name()?;
        if self.kind != Kind::In && (is_numpys || is_list) {
            return Err(self.wrong(
                task,
                &format!("a task writes to it: it must be an array of weft.numpy, not {kind}"),
            ));
        }
        if is_numpys || is_list {
            let made = hooks::asarray(object)?;
            if let Ok(array) = made.cast::<Array>() {
                return Ok(array.get().inner()?.stored().clone().into());
            }
            let dtype = object.getattr("dtype").and_then(|dtype| dtype.str());
            let dtype =
                dtype.map_or_else(|_| "such elements".to_owned(), |dtype| dtype.to_string());
            return Err(self.wrong(
                task,
                &format!("Weft's arrays cannot hold elements of {dtype}"),
            ));
        }
        let is_value = matches!(scalar::python(object), Ok(Some(_)));
        let kind = if is_value {
            "a single value".to_owned()
        } else {
            kind.to_string()
        };
        Err(self.wrong(task, &format!("it must be an array, not {kind}")))
    }

    fn wrong(&self, task: &str, why: &str) -> PyErr {
        PyTypeError::new_err(format!("{task}: {}: {why}", self.text))
    }

    fn check_writeable(&self, task: &str, array: &Array) -> PyResult<()> {
        let why = if array.copied_part().is_some() {
            "it is a copy of parts of an array, as `.real`, `.imag` and `.view(dtype)` give them, which a task cannot write; give it an \
             array of its own, and assign that"
        } else if !array.is_writeable() {
            "it is read-only, and the task writes to it"
        } else {
            return Ok(());
        };
        Err(PyValueError::new_err(format!(
            "{task}: {}: {why}",
            self.text
        )))
    }

    /// Converts a number of Python or NumPy to a value of the parameter's dtype, which must hold
    /// it.
    fn value(&self, task: &str, object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
        let found = match scalar::python(object)? {
            Some(value) => Some(value),
            // NumPy's scalars and arrays of one element.
            None => match object.call_method0("item") {
                Ok(item) => scalar::python(&item)?,
                Err(error) if object.is_instance_of::<Array>() => return Err(error),
                Err(_) => None,
            },
        };
        let Some(value) = found else {
            let kind = object.get_type().name()?;
            return Err(self.wrong(task, &format!("it must be a single value, not {kind}")));
        };
        let Some(dtype) = self.dtype else {
            return Ok(value);
        };
        let given = value.dtype();
        // The conversion would lose information.
        let is_lost = (given.is_complex() && !dtype.is_complex())
            || (given.is_float() && (dtype.is_integer() || dtype == DType::Bool))
            || (given.is_integer() && dtype == DType::Bool);
        match is_lost {
            true => {
                let (wanted, given) = (numpy_name(dtype), numpy_name(given));
                Err(self.wrong(task, &format!("it is of {wanted}, and {given} was given")))
            }
            false => Ok(value),
        }
    }
}
