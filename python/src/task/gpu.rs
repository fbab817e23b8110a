//! Bodies on GPUs that are Python functions: they submit work to the tile's stream by CuPy, torch
//! or any other library.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use weft::task::{BodyError, GpuBody, GpuContext};

use super::body::{ENDED, Function, Takes, value};
use super::context::TaskContext;
use super::device::DeviceArray;
use super::state;

/// Keeps the arrays of a body usable while it lives.
struct Lease(Arc<AtomicBool>);

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Returns the function's argument for a parameter.
fn argument<'py>(
    py: Python<'py>,
    name: &str,
    takes: Takes,
    context: &GpuContext<'_>,
    lease: &Lease,
) -> PyResult<Bound<'py, PyAny>> {
    let (at, is_numpys) = match takes {
        Takes::Context => {
            let of = TaskContext::on_gpu(name, context);
            return Ok(Bound::new(py, of)?.into_any());
        }
        Takes::Communicator => {
            return Err(PyTypeError::new_err(
                "tiles on GPUs do not run together: they have no communicator",
            ));
        }
        Takes::Given(at) => (at, false),
        Takes::NumPy(at) => (at, true),
    };
    let given = context.given().get(at);
    let given = given.ok_or_else(|| PyTypeError::new_err(format!("there is no argument {at}")))?;
    match given.scalar() {
        Some(scalar) => value(py, scalar, is_numpys),
        None => {
            let array = DeviceArray::new(given, context, lease.0.clone());
            Ok(Bound::new(py, array)?.into_any())
        }
    }
}

/// A Python function as a body for GPUs.
pub(super) struct OnGpu(pub(super) Function);

impl GpuBody for OnGpu {
    fn run(&self, context: &GpuContext<'_>) -> Result<(), BodyError> {
        let function = &self.0;
        let lease = Lease(Arc::default());
        let ran = state::attached(|py| {
            let name = function.name();
            let called = function.call(py, |takes| argument(py, name, takes, context, &lease));
            called.map_err(|error| function.raised(py, error))
        });
        match ran {
            Some(called) => called.map_err(BodyError::from),
            None => Err(ENDED.into()),
        }
    }
}
