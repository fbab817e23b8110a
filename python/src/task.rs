//! Tasks of a user, from Python: definitions, calls, and bodies that are functions of Python or of C.
//!
//! What decorators and constraints look like is Python (`python/weft/tasks.py`). A call is Rust: it has to take microseconds.

mod argument;
mod body;
mod context;
mod define;
mod lent;
mod numpy;
mod state;

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use smallvec::SmallVec;
use weft::site::Site;
use weft::task::{Argument, Definition};

use crate::array::Writing;
use crate::error::Raise;
use crate::frame;
use argument::Parameter;
use body::Function;

pub(crate) use context::TaskContext;
pub(crate) use lent::Lent;
pub(crate) use state::{end_tasks, has_tasks};

/// A task: a call of it is an operation.
#[pyclass(frozen, subclass, dict, weakref, module = "weft._core")]
pub(crate) struct Task {
    definition: Definition,
    parameters: Vec<Parameter>,
    /// Its body, where that is a function of Python.
    function: Option<Arc<Function>>,
}

#[pymethods]
impl Task {
    /// A task of this name. What does it is a function of Python, which gets its arguments as `takes` says, or `(address, user, owner)` of a
    /// function of C.
    #[new]
    #[pyo3(signature = (name, function, address, parameters, takes, constraints, unordered=false, whole=false, work=1))]
    #[allow(
        clippy::too_many_arguments,
        reason = "called by the package alone, by their names"
    )]
    fn new(
        py: Python<'_>,
        name: &str,
        function: Option<Py<PyAny>>,
        address: Option<(usize, usize, Py<PyAny>)>,
        parameters: Vec<Parameter>,
        takes: Vec<(String, usize)>,
        constraints: Vec<Bound<'_, PyTuple>>,
        unordered: bool,
        whole: bool,
        work: u32,
    ) -> PyResult<Task> {
        numpy::load(py)?;
        let mut builder = Definition::builder(name).work(work);
        if unordered {
            builder = builder.unordered();
        }
        if whole {
            builder = builder.whole();
        }
        for parameter in &parameters {
            builder = parameter.add_to(builder);
        }
        for constraint in &constraints {
            builder = define::constrained(builder, constraint)?;
        }
        let (builder, function) = match (function, address) {
            (Some(function), None) => {
                let takes = define::takes(&takes)?;
                let function = Arc::new(Function::new(name.to_owned(), function, takes));
                (builder.cpu(body::Shared(function.clone())), Some(function))
            }
            (None, Some(address)) => (builder.cpu(define::foreign(address)?), None),
            _ => return Err(PyTypeError::new_err("a task needs one body")),
        };
        let definition = builder.finish().map_err(define::wrong)?;
        Ok(Task {
            definition,
            parameters,
            function,
        })
    }

    /// Calls the task, and returns at once: it runs when what its arguments hold is there.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        state::begin_call()?;
        let name = self.definition.name();
        let given = argument::bind(name, &self.parameters, args, kwargs)?;
        let _entered = frame::enter(py);
        let mut arguments: SmallVec<[Argument; 6]> = SmallVec::new();
        // Nobody writes arrays that have parts, or are parts, meanwhile.
        let mut locked: SmallVec<[Writing<'_>; 1]> = SmallVec::new();
        for (parameter, given) in self.parameters.iter().zip(&given) {
            let argument = match given {
                Some(given) => parameter.argument(name, given, &mut locked)?,
                None => parameter.default(name)?,
            };
            arguments.push(argument);
        }
        self.definition
            .launch_by(&arguments, Site::caller())
            .raise()
    }

    /// Has another function be the body, and gives the one before.
    fn _replace(&self, function: Py<PyAny>) -> PyResult<Py<PyAny>> {
        match &self.function {
            Some(own) => Ok(own.replace(function)),
            None => Err(PyTypeError::new_err(
                "the body of this task is no function of Python",
            )),
        }
    }

    fn __repr__(&self) -> String {
        let parameters = self.parameters.iter().map(Parameter::described);
        let parameters: Vec<String> = parameters.collect();
        format!(
            "<task {}({})>",
            self.definition.name(),
            parameters.join(", ")
        )
    }
}
