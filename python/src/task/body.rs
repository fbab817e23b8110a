//! A function of Python as the body of a task.

#![allow(unsafe_code, reason = "makes arrays of the memory of tiles")]

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use weft::task::{BodyError, Context, CpuBody, Given, Kind};

use super::context::TaskContext;
use super::lent::Lent;
use super::numpy::{self, Over};
use super::state;
use crate::{dtype, scalar};

/// What stands for a parameter of the function.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    /// What was given for the parameter of the task with this number: an array, or a number of Python.
    Given(usize),
    /// The same as a single value of NumPy.
    NumPy(usize),
    /// The tile.
    Context,
}

/// A function of Python as a body.
pub(super) struct Function {
    name: String,
    function: Mutex<Py<PyAny>>,
    takes: Vec<Takes>,
}

impl Function {
    pub(super) fn new(name: String, function: Py<PyAny>, takes: Vec<Takes>) -> Function {
        Function {
            name,
            function: Mutex::new(function),
            takes,
        }
    }

    /// Has another function do it from now on, and gives the one before.
    pub(super) fn replace(&self, function: Py<PyAny>) -> Py<PyAny> {
        let mut held = self.function.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut held, function)
    }

    fn function<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let held = self.function.lock().unwrap_or_else(PoisonError::into_inner);
        held.bind(py).clone()
    }

    /// Calls the function, with arrays whose base is `lent`.
    fn call(
        &self,
        lent: &Bound<'_, Lent>,
        context: &Context<'_, '_>,
        given: &mut [Given<'_, '_>],
    ) -> PyResult<()> {
        let py = lent.py();
        let mut values: SmallVec<[Bound<'_, PyAny>; 6]> = SmallVec::new();
        for takes in &self.takes {
            values.push(match *takes {
                Takes::Context => {
                    let of = TaskContext::new(&self.name, context, given);
                    Bound::new(py, of)?.into_any()
                }
                Takes::Given(at) if given[at].parameter().is_array() => {
                    array(lent, &mut given[at])?
                }
                Takes::Given(at) => number(py, &given[at])?,
                Takes::NumPy(at) => {
                    let dtype = dtype::to_numpy(py, given[at].dtype())?;
                    let class = dtype.bind(py).getattr("type")?;
                    class.call1((number(py, &given[at])?,))?
                }
            });
        }
        let returned = self.function(py).call1(PyTuple::new(py, values)?)?;
        if returned.is_none() {
            return Ok(());
        }
        let kind = returned.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "a task writes its results to its outputs and returns nothing, and it returned {kind}"
        )))
    }
}

fn number<'py>(py: Python<'py>, given: &Given<'_, '_>) -> PyResult<Bound<'py, PyAny>> {
    let value = given
        .scalar()
        .map_err(|error| PyTypeError::new_err(error.to_string()))?;
    Ok(scalar::to_python(py, value)?.into_bound(py))
}

/// The part of an array that a tile has, as NumPy's.
fn array<'py>(lent: &Bound<'py, Lent>, given: &mut Given<'_, '_>) -> PyResult<Bound<'py, PyAny>> {
    let dtype = dtype::to_numpy(lent.py(), given.dtype())?.into_bound(lent.py());
    let is_written = given.parameter().kind != Kind::In;
    let tile = given.as_tile();
    let strides: SmallVec<[isize; 4]> = (0..tile.layout().rank())
        .map(|axis| tile.byte_stride(axis))
        .collect();
    let over = Over {
        first: tile.first(),
        dims: tile.dims(),
        strides: &strides,
        is_written,
    };
    // SAFETY: the tile's elements lie so while the body runs, which it was given to; who refers to the array later refers to the loan,
    // whose end keeps the memory. Only what is written is writeable.
    unsafe { numpy::array(&over, dtype, lent.as_any()) }
}

/// What an exception says: its type, its text, and the line of the body that it comes from.
fn text(py: Python<'_>, error: &PyErr, function: &Bound<'_, PyAny>) -> String {
    let name = error.get_type(py).qualname();
    let name = name.map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    let mut text = match error.value(py).str() {
        Ok(said) if !said.to_string_lossy().is_empty() => format!("{name}: {said}"),
        _ => name,
    };
    if let Some((file, line)) = place(py, error, function) {
        text.push_str(&format!(" ({file}:{line})"));
    }
    text
}

/// The innermost line in the file of the function; where there is none, the innermost one.
fn place(py: Python<'_>, error: &PyErr, function: &Bound<'_, PyAny>) -> Option<(String, u32)> {
    let own = function
        .getattr("__code__")
        .and_then(|code| code.getattr("co_filename"));
    let own: Option<String> = own.and_then(|file| file.extract()).ok();
    let mut found: Option<(String, u32)> = None;
    let mut next = error.traceback(py).map(Bound::into_any);
    while let Some(entry) = next {
        let code = entry
            .getattr("tb_frame")
            .and_then(|frame| frame.getattr("f_code"));
        let file = code.and_then(|code| code.getattr("co_filename"));
        let (Ok(file), Ok(line)) = (
            file.and_then(|file| file.extract::<String>()),
            entry.getattr("tb_lineno").and_then(|line| line.extract()),
        ) else {
            break;
        };
        let is_own = Some(&file) == own.as_ref();
        if is_own
            || found
                .as_ref()
                .is_none_or(|(found, _)| Some(found) != own.as_ref())
        {
            found = Some((file, line));
        }
        next = entry.getattr("tb_next").ok().filter(|next| !next.is_none());
    }
    found
}

/// A function that a task and its definition have in common.
pub(super) struct Shared(pub(super) Arc<Function>);

impl CpuBody for Shared {
    fn run(&self, context: &mut Context<'_, '_>) -> Result<(), BodyError> {
        let function = &*self.0;
        let mut given: SmallVec<[Given<'_, '_>; 4]> = context.take().collect();
        let ran = state::attached(|py| {
            let lent = Lent::new(py).map_err(|error| error.to_string())?;
            let called = function.call(&lent, context, &mut given);
            // The exception refers to the frames that raised it, and these to the arrays.
            let called = called.map_err(|error| text(py, &error, &function.function(py)));
            Lent::end(&lent, &given);
            called
        });
        match ran {
            Some(called) => called.map_err(BodyError::from),
            None => Err("Python has ended before it could run".into()),
        }
    }

    fn is_foreign(&self) -> bool {
        true
    }
}
