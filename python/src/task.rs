//! User-defined tasks of Python: definitions, calls, and bodies, which are functions of Python or
//! C, or CUDA C.
//!
//! Decorators and constraints are Python (`python/weft/tasks.py`). A call is Rust, because it must
//! take microseconds.

mod argument;
mod body;
mod communicator;
mod context;
mod define;
mod device;
mod dlpack;
mod found;
mod gpu;
mod lent;
mod numpy;
mod raised;
mod state;

use std::sync::{Arc, PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use smallvec::SmallVec;
use weft::DynArray;
use weft::task::{Argument, Definition};

use crate::array::Array;
use crate::error::Raise;
use crate::frame;
use crate::kind::ResultArray;
use argument::Parameter;
use body::{Function, Takes};
use gpu::OnGpu;

pub(crate) use communicator::Exchange;
pub(crate) use context::TaskContext;
pub(crate) use device::DeviceArray;
pub(crate) use lent::BorrowedMemory;
pub(crate) use raised::Raised;
pub(crate) use state::{end_tasks, has_tasks};

/// A task. A call of it is an operation.
#[pyclass(frozen, subclass, dict, weakref, module = "weft._core")]
pub(crate) struct Task {
    name: &'static str,
    /// Replaced when a body is added.
    definition: RwLock<Definition>,
    /// The parameters that a call passes arguments for.
    given: Vec<Parameter>,
    /// The parameters as text.
    signature: String,
}

impl Task {
    fn definition(&self) -> Definition {
        let held = self.definition.read();
        held.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn define(&self, definition: Definition) {
        let held = self.definition.write();
        let mut held = held.unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *held, definition);
        // Dropping may run Python destructors, which must not find the lock taken.
        drop(held);
        drop(before);
    }
}

/// A body in CUDA C: its file, if it is from one, its text, and the threads of a block.
type Cuda = (Option<String>, String, Vec<u32>);

#[pymethods]
impl Task {
    /// Creates a task. Its body is a Python function, which gets its arguments in the order of
    /// `takes`, or `(address, user, owner)` of a C function. The body for GPUs is a Python
    /// function, or `(file, text, block)` of CUDA C.
    #[new]
    #[pyo3(signature = (name, function, address, gpu, cuda, parameters, takes, constraints, unordered=false, whole=false, nested=false, concurrent=false, work=1, flops=None))]
    #[allow(
        clippy::too_many_arguments,
        reason = "called by the package alone, by their names"
    )]
    fn new(
        py: Python<'_>,
        name: &str,
        function: Option<Py<PyAny>>,
        address: Option<(usize, usize, Py<PyAny>)>,
        gpu: Option<Py<PyAny>>,
        cuda: Option<Cuda>,
        parameters: Vec<Parameter>,
        takes: Vec<(String, usize)>,
        constraints: Vec<Bound<'_, PyTuple>>,
        unordered: bool,
        whole: bool,
        nested: bool,
        concurrent: bool,
        work: u32,
        flops: Option<u32>,
    ) -> PyResult<Task> {
        numpy::load(py)?;
        found::load(py)?;
        communicator::load(py)?;
        let mut builder = Definition::builder(name).work(work);
        if let Some(operations) = flops {
            builder = builder.flops(operations);
        }
        if unordered {
            builder = builder.unordered();
        }
        if whole {
            builder = builder.whole();
        }
        if nested {
            builder = builder.nested();
        }
        if concurrent {
            builder = builder.concurrent();
        }
        for parameter in &parameters {
            builder = parameter.add_to(builder);
        }
        for constraint in &constraints {
            builder = define::constrained(builder, constraint)?;
        }
        let takes: Arc<[Takes]> = define::takes(&takes)?.into();
        let name = builder.kept_name();
        let body = |function| Function::new(name, function, takes.clone());
        if let Some(function) = function {
            builder = builder.cpu(body(function));
        }
        if let Some(address) = address {
            builder = builder.cpu(define::foreign(address)?);
        }
        if let Some(function) = gpu {
            builder = builder.gpu(OnGpu(body(function)));
        }
        if let Some((file, text, block)) = cuda {
            builder = match file {
                Some(file) => builder.cuda_file(&file, &text),
                None => builder.cuda(&text),
            };
            builder = builder.cuda_block(&block);
        }
        let definition = builder.finish().map_err(define::wrong)?;
        let described: Vec<String> = parameters.iter().map(Parameter::described).collect();
        Ok(Task {
            name,
            definition: RwLock::new(definition),
            signature: described.join(", "),
            given: parameters.into_iter().filter(Parameter::is_given).collect(),
        })
    }

    /// Calls the task and returns at once; it runs when its inputs are available. Results of
    /// unknown length are waited for and returned: one, or a tuple of several.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        state::begin_call()?;
        let given = argument::bind(self.name, &self.given, args, kwargs)?;
        let _entered = frame::enter(py);
        let mut arguments: SmallVec<[Argument<'_>; 6]> = SmallVec::new();
        // Arrays that have parts, or are parts, must not be written meanwhile.
        let pairs = self.given.iter().zip(&given);
        let written: SmallVec<[&Array; 2]> = pairs
            .filter_map(|(parameter, given)| parameter.written(given.as_ref()?))
            .collect();
        let _turns = Array::begin_write(py, &written)?;
        for (parameter, given) in self.given.iter().zip(&given) {
            let argument = match given {
                Some(given) => parameter.argument(self.name, given)?,
                None => parameter.default(self.name)?,
            };
            arguments.push(argument);
        }
        let definition = self.definition();
        let results = definition.results(&arguments).raise()?;
        if results.is_empty() {
            return Ok(py.None());
        }
        let results = results
            .into_iter()
            .map(|view| ResultArray::own(DynArray::from(view)));
        let results = results.map(|array| array.bind(py));
        let results = results.collect::<PyResult<Vec<_>>>()?;
        match results.as_slice() {
            [one] => Ok(one.clone().unbind()),
            many => Ok(PyTuple::new(py, many)?.into_any().unbind()),
        }
    }

    /// Sets a Python function as the body on CPUs, which gets its arguments in the order of
    /// `takes`.
    fn _set_cpu(&self, function: Py<PyAny>, takes: Vec<(String, usize)>) -> PyResult<()> {
        let body = Function::new(self.name, function, define::takes(&takes)?.into());
        let made = self.definition().with_cpu(body).map_err(define::wrong)?;
        self.define(made);
        Ok(())
    }

    /// Sets a Python function as the body on GPUs, which gets its arguments in the order of
    /// `takes`.
    fn _set_gpu(&self, function: Py<PyAny>, takes: Vec<(String, usize)>) -> PyResult<()> {
        let body = Function::new(self.name, function, define::takes(&takes)?.into());
        let made = self.definition().with_gpu(OnGpu(body));
        self.define(made.map_err(define::wrong)?);
        Ok(())
    }

    /// Whether the task has a body for CPUs.
    fn _has_cpu(&self) -> bool {
        self.definition().has_cpu()
    }

    fn __repr__(&self) -> String {
        format!("<task {}({})>", self.name, self.signature)
    }
}
