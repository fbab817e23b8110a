//! Bodies of tasks that are Python functions.

#![allow(unsafe_code, reason = "makes arrays of the memory of tiles")]

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use weft::dtype::Scalar;
use weft::task::{BodyArgument, BodyError, Context, CpuBody, Kind};

use super::communicator;
use super::context::TaskContext;
use super::found;
use super::lent::BorrowedMemory;
use super::numpy::{self, Over};
use super::raised::Raised;
use super::state;
use crate::{dtype, scalar};

/// An argument of the Python function.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    /// The argument for the task's parameter of this number: an array, or a Python number.
    Given(usize),
    /// The argument for the task's parameter of this number, as NumPy's scalar.
    NumPy(usize),
    /// The context of the tile.
    Context,
    /// The communicator of the tile.
    Communicator,
}

/// A Python function as a body.
pub(super) struct Function {
    name: &'static str,
    function: Py<PyAny>,
    takes: Arc<[Takes]>,
}

impl Function {
    /// Creates the body of the task of this name.
    pub(super) fn new(name: &'static str, function: Py<PyAny>, takes: Arc<[Takes]>) -> Function {
        Function {
            name,
            function,
            takes,
        }
    }

    /// The task's name.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Wraps an exception of the function.
    pub(super) fn raised(&self, py: Python<'_>, error: PyErr) -> Raised {
        Raised::new(py, error, self.function.bind(py))
    }

    /// Calls the function with the result of `argument` for each parameter.
    pub(super) fn call<'py>(
        &self,
        py: Python<'py>,
        argument: impl FnMut(Takes) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let values = self.takes.iter().copied().map(argument);
        let values = values.collect::<PyResult<SmallVec<[Bound<'_, PyAny>; 6]>>>()?;
        let returned = self.function.bind(py).call1(PyTuple::new(py, values)?)?;
        if returned.is_none() {
            return Ok(());
        }
        let kind = returned.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "a task writes its results to its outputs and returns nothing, and it returned {kind}"
        )))
    }
}

/// Converts a single value to a Python number, or to NumPy's scalar.
pub(super) fn value<'py>(
    py: Python<'py>,
    value: Scalar,
    is_numpys: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let number = scalar::to_python(py, value)?.into_bound(py);
    if !is_numpys {
        return Ok(number);
    }
    let dtype = dtype::to_numpy(py, value.dtype())?;
    dtype.bind(py).getattr("type")?.call1((number,))
}

/// The arguments of a body on a CPU: arrays have the loan as their base.
struct OfTile<'l, 'py> {
    lent: &'l Bound<'py, BorrowedMemory>,
    /// Results of unknown length, by the numbers of their parameters.
    found: SmallVec<[(usize, Bound<'py, PyAny>); 1]>,
    /// Copies passed to the body, each with the array that it replaces, whose memory cannot be kept
    /// for later users.
    copied: SmallVec<[(Bound<'py, PyAny>, Bound<'py, PyAny>); 1]>,
}

impl<'py> OfTile<'_, 'py> {
    /// Returns the function's argument for a parameter.
    fn argument(
        &mut self,
        name: &str,
        takes: Takes,
        context: &Context<'_, '_>,
        given: &mut [BodyArgument<'_, '_>],
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.lent.py();
        let (at, is_numpys) = match takes {
            Takes::Context => {
                let of = TaskContext::on_cpu(name, context, given);
                return Ok(Bound::new(py, of)?.into_any());
            }
            Takes::Communicator => return communicator::make(py, context),
            Takes::Given(at) => (at, false),
            Takes::NumPy(at) => (at, true),
        };
        match given[at].parameter().kind {
            Kind::Scalar => {
                let scalar = given[at].scalar();
                let scalar = scalar.map_err(|error| PyTypeError::new_err(error.to_string()))?;
                value(py, scalar, is_numpys)
            }
            Kind::Unbound => {
                let made = found::make(py, &given[at])?;
                self.found.push((at, made.clone()));
                Ok(made)
            }
            kind => {
                let array = array(self.lent, &mut given[at])?;
                if given[at].can_keep() {
                    return Ok(array);
                }
                let copy = array.call_method0("copy")?;
                match kind {
                    Kind::In => {
                        copy.call_method1("setflags", (false,))?;
                    }
                    _ => self.copied.push((array, copy.clone())),
                }
                Ok(copy)
            }
        }
    }

    /// Writes the body's results in copies to the arrays.
    fn take_copies(&self) -> PyResult<()> {
        let py = self.lent.py();
        for (array, copy) in &self.copied {
            array.set_item(py.Ellipsis(), copy)?;
        }
        Ok(())
    }
}

/// Returns the tile's part of an array, as a NumPy array.
fn array<'py>(
    lent: &Bound<'py, BorrowedMemory>,
    given: &mut BodyArgument<'_, '_>,
) -> PyResult<Bound<'py, PyAny>> {
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
    // SAFETY: the tile's elements have this layout while the body, which they are lent to, runs.
    // Later users of the array hold a reference to the loan, whose end keeps the memory. Only
    // arrays that the task writes are writable.
    unsafe { numpy::array(&over, dtype, lent.as_any()) }
}

/// The error of a body that does not run.
pub(super) const ENDED: &str = "Python has ended before it could run";

impl CpuBody for Function {
    fn run(&self, context: &mut Context<'_, '_>) -> Result<(), BodyError> {
        let function = self;
        let mut given: SmallVec<[BodyArgument<'_, '_>; 4]> = context.take().collect();
        let ran = state::attached(|py| {
            let lent = BorrowedMemory::new(py).map_err(|error| function.raised(py, error))?;
            let mut of = OfTile {
                lent: &lent,
                found: SmallVec::new(),
                copied: SmallVec::new(),
            };
            let called = function.call(py, |takes| {
                of.argument(function.name(), takes, context, &mut given)
            });
            let called = called.and_then(|()| of.take_copies());
            let OfTile { found, copied, .. } = of;
            drop(copied);
            let called = called.and_then(|()| found::put(&found, &mut given));
            // References to the arrays are counted later; the exception and its frames must hold
            // none.
            let called = called.map_err(|error| function.raised(py, error));
            drop(found);
            BorrowedMemory::end(&lent, &given);
            called
        });
        match ran {
            Some(called) => called.map_err(BodyError::from),
            None => Err(ENDED.into()),
        }
    }

    fn is_foreign(&self) -> bool {
        true
    }
}
