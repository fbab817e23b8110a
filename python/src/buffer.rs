//! Values copied from and to Python's memory, through the buffer protocol.

#![allow(unsafe_code, reason = "buffers are only in the C interface")]

use std::mem::MaybeUninit;

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use weft::DynArray;

use crate::array::Array;
use crate::dtype::DTypeArgument;
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::{frame, run};

/// The memory of an object, held until this is dropped.
struct Memory<'py> {
    view: Box<ffi::Py_buffer>,
    _py: Python<'py>,
}

impl<'py> Memory<'py> {
    /// Requests an object's memory, which must be contiguous.
    fn request(object: &Bound<'py, PyAny>, is_written: bool) -> PyResult<Memory<'py>> {
        let flags = match is_written {
            true => ffi::PyBUF_WRITABLE,
            false => ffi::PyBUF_SIMPLE,
        };
        let mut view = Box::new(MaybeUninit::<ffi::Py_buffer>::zeroed());
        // SAFETY: attached; the call fills the view if it succeeds, and the view keeps its address.
        let status = unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), view.as_mut_ptr(), flags) };
        if status != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        Ok(Memory {
            // SAFETY: written by the call.
            view: unsafe { view.assume_init() },
            _py: object.py(),
        })
    }

    fn len(&self) -> usize {
        usize::try_from(self.view.len).unwrap_or(0)
    }

    fn bytes(&self) -> &[u8] {
        match self.len() {
            0 => &[],
            // SAFETY: the object keeps `length` bytes at this address while the view is held. They
            // are copied at once, and all bytes are valid values. If another thread of the program
            // writes there meanwhile, the copy is a mixture, as with NumPy.
            length => unsafe { std::slice::from_raw_parts(self.view.buf.cast::<u8>(), length) },
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self.len() {
            0 => &mut [],
            // SAFETY: as above, and the view is writable. The object was made for this call, so it
            // has no other users.
            length => unsafe { std::slice::from_raw_parts_mut(self.view.buf.cast::<u8>(), length) },
        }
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: the view was acquired, and is released once, by an attached thread.
        unsafe { ffi::PyBuffer_Release(&mut *self.view) };
    }
}

/// A contiguous copy in row-major order.
#[pyfunction]
pub(crate) fn from_buffer(
    object: &Bound<'_, PyAny>,
    dtype: DTypeArgument,
    shape: Vec<usize>,
) -> PyResult<ResultArray> {
    let memory = Memory::request(object, false)?;
    let _entered = frame::enter(object.py());
    let made = DynArray::from_bytes(&run::current()?, dtype.0, &shape, memory.bytes());
    Ok(ResultArray::own(made.raise()?))
}

/// Waits for an array's values and copies them, in row-major order, into memory made for them.
#[pyfunction]
pub(crate) fn to_buffer(array: &Bound<'_, Array>, object: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = array.py();
    let _entered = frame::enter(py);
    let value = run::read(py, array.get().inner()?)?;
    let mut memory = Memory::request(object, true)?;
    let (bytes, target) = (value.as_bytes(), memory.bytes_mut());
    if bytes.len() != target.len() {
        return Err(PyValueError::new_err(format!(
            "{} bytes do not fit a buffer of {}",
            bytes.len(),
            target.len()
        )));
    }
    target.copy_from_slice(bytes);
    Ok(())
}
