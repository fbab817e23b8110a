//! The tile's part of an array in a GPU's memory, for libraries that use such memory without a
//! copy.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use weft::dtype::DType;
use weft::task::{GpuContext, GpuGiven, Kind};

use super::dlpack::{self, Tensor};
use crate::dtype::to_numpy;

/// The default stream of a GPU in DLPack and CUDA.
const DEFAULT_STREAM: i64 = 1;

/// The version of the CUDA array interface.
const INTERFACE: u32 = 3;

/// A part of an array in the memory of a GPU. It can be used while the body runs.
#[pyclass(frozen, module = "weft", name = "DeviceArray")]
pub(crate) struct DeviceArray {
    name: String,
    first: u64,
    dtype: DType,
    dims: Vec<usize>,
    /// Bytes between neighbours.
    strides: Vec<isize>,
    is_written: bool,
    stream: u64,
    device: i32,
    has_ended: Arc<AtomicBool>,
}

impl DeviceArray {
    pub(super) fn new(
        given: &GpuGiven<'_>,
        context: &GpuContext<'_>,
        has_ended: Arc<AtomicBool>,
    ) -> DeviceArray {
        let dims = given.dims().to_vec();
        let is_empty = dims.contains(&0);
        DeviceArray {
            name: given.name().to_owned(),
            // Empty memory is never read, so the address need not be valid.
            first: if is_empty { 0 } else { given.address() },
            dtype: given.dtype(),
            dims,
            strides: given.strides().to_vec(),
            is_written: given.parameter().kind != Kind::In,
            stream: context.stream(),
            device: context.device(),
            has_ended,
        }
    }

    fn check(&self) -> PyResult<()> {
        match self.has_ended.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(PyRuntimeError::new_err(format!(
                "the body has returned: {} is not its any more; keep a copy instead",
                self.name
            ))),
        }
    }

    /// Whether elements are contiguous, in row-major order.
    fn is_contiguous(&self) -> bool {
        let mut step = self.dtype.size() as isize;
        self.dims.contains(&0)
            || self
                .dims
                .iter()
                .zip(&self.strides)
                .rev()
                .all(|(extent, stride)| {
                    let fits = *extent == 1 || *stride == step;
                    step *= *extent as isize;
                    fits
                })
    }
}

#[pymethods]
impl DeviceArray {
    /// The number of elements along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.dims)
    }

    /// The NumPy type of its elements.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_numpy(py, self.dtype)
    }

    /// The number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.dims.len()
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.dims.iter().product()
    }

    /// The description of the memory by the CUDA array interface, version 3.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.check()?;
        let said = PyDict::new(py);
        said.set_item("shape", PyTuple::new(py, &self.dims)?)?;
        said.set_item("typestr", to_numpy(py, self.dtype)?.getattr(py, "str")?)?;
        said.set_item("data", (self.first, !self.is_written))?;
        let strides = match self.is_contiguous() {
            true => None,
            false => Some(PyTuple::new(py, &self.strides)?),
        };
        said.set_item("strides", strides)?;
        said.set_item("version", INTERFACE)?;
        said.set_item("stream", (self.stream != 0).then_some(self.stream))?;
        Ok(said)
    }

    /// The kind of device and its number, as DLPack defines them.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (dlpack::CUDA, self.device)
    }

    /// Returns a DLPack capsule of the array. `stream` is the consumer's stream: the default
    /// stream, the tile's stream, or -1 for one that the consumer orders itself.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check()?;
        let refused = |why: String| Err(PyBufferError::new_err(format!("{}: {why}", self.name)));
        let own = i64::try_from(self.stream).unwrap_or(-1);
        if let Some(other) = stream.filter(|one| ![DEFAULT_STREAM, -1, own].contains(one)) {
            return refused(format!(
                "stream {other} is neither the default stream nor the tile's: use one of these, ctx.stream for the tile's"
            ));
        }
        if dl_device.is_some_and(|device| device != self.__dlpack_device__()) {
            return refused(
                "it lies in the memory of its GPU, and is not copied to another device".to_owned(),
            );
        }
        if copy == Some(true) {
            return refused("it is not copied for you; copy what you make of it".to_owned());
        }
        let size = self.dtype.size() as i64;
        let tensor = Tensor {
            first: self.first,
            device: self.device,
            dtype: self.dtype,
            shape: self.dims.iter().map(|extent| *extent as i64).collect(),
            strides: self
                .strides
                .iter()
                .map(|step| *step as i64 / size)
                .collect(),
            is_read_only: !self.is_written,
        };
        tensor.capsule(py, max_version.is_some_and(|(major, _)| major >= 1))
    }

    /// Raises an error: NumPy cannot access the memory of a GPU.
    #[pyo3(signature = (*_args, **_kwargs))]
    fn __array__(
        &self,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Err(PyTypeError::new_err(format!(
            "{} lies in the memory of a GPU, where NumPy cannot reach it: take it with cupy.asarray or torch.as_tensor, or give the task a \
             body for CPUs",
            self.name
        )))
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.dims.first().copied();
        first.ok_or_else(|| PyTypeError::new_err("an array without axes has no length"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "<{} of {} and shape {} on GPU {}>",
            self.name,
            to_numpy(py, self.dtype)?.bind(py).str()?,
            PyTuple::new(py, &self.dims)?.repr()?,
            self.device
        ))
    }
}
