//! Shared memory by the buffer protocol: Weft's arrays in other libraries, and their memory in
//! Weft's arrays.

#![allow(
    unsafe_code,
    reason = "buffers and addresses are only in the C interface"
)]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use pyo3::exceptions::{PyBufferError, PyKeyboardInterrupt};
use pyo3::ffi;
use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::DType;
use weft::program::Sharing;

use crate::array::Array;
use crate::dtype::DTypeArgument;
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::{frame, kind, run};

/// The data that a buffer refers to until it is released.
struct Exported {
    _sharing: Sharing,
    shape: Vec<ffi::Py_ssize_t>,
    strides: Vec<ffi::Py_ssize_t>,
}

/// Buffers may be released on another thread than the one that requested them.
const _: fn() = || {
    fn is_send<T: Send>() {}
    is_send::<Exported>();
};

/// Returns the element type in the notation of the module `struct`, as extended by NumPy. `None`
/// for booleans, whose memory is not shared: another library could write a byte other than 0 and 1.
fn format(dtype: DType) -> Option<&'static CStr> {
    Some(match dtype {
        DType::Bool => return None,
        DType::I8 => c"b",
        DType::I16 => c"h",
        DType::I32 => c"i",
        DType::I64 => c"l",
        DType::U8 => c"B",
        DType::U16 => c"H",
        DType::U32 => c"I",
        DType::U64 => c"L",
        DType::F16 => c"e",
        DType::F32 => c"f",
        DType::F64 => c"d",
        DType::C64 => c"Zf",
        DType::C128 => c"Zd",
    })
}

/// Returns whether a reader with these flags can use the array's layout.
fn suits(array: &DynArray, flags: c_int) -> PyResult<bool> {
    let has = |flag: c_int| flags & flag == flag;
    let axes: Vec<usize> = (0..array.ndim()).rev().collect();
    let is_c = array.is_contiguous();
    let is_fortran = array.permute(&axes).raise()?.is_contiguous();
    Ok(match () {
        () if has(ffi::PyBUF_ANY_CONTIGUOUS) => is_c || is_fortran,
        () if has(ffi::PyBUF_F_CONTIGUOUS) => is_fortran,
        () if has(ffi::PyBUF_C_CONTIGUOUS) || !has(ffi::PyBUF_STRIDES) => is_c,
        () => true,
    })
}

thread_local! {
    /// The exception that a signal handler raised during the wait for a buffer. NumPy drops errors
    /// of buffers, and calls `__array__` next.
    static INTERRUPTED: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// Raises the exception that interrupted the wait for a buffer, if NumPy dropped it.
#[pyfunction]
pub(crate) fn raise_interrupted() -> PyResult<()> {
    INTERRUPTED.take().map_or(Ok(()), Err)
}

#[pymethods]
impl Array {
    /// Exports the array's own memory, after all earlier operations have ended.
    ///
    /// # Safety
    /// CPython calls it with a view to be filled.
    unsafe fn __getbuffer__(
        slf: &Bound<'_, Array>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let py = slf.py();
        let refused = |why: &str| PyBufferError::new_err(why.to_owned());
        if view.is_null() {
            return Err(refused("there is no view to fill"));
        }
        // SAFETY: CPython's view.
        unsafe { (*view).obj = ptr::null_mut() };
        INTERRUPTED.set(None);
        let array = slf.get();
        if array.is_number() {
            return export_number(slf, view, flags);
        }
        let is_read_only = !array.is_writeable();
        if is_read_only && flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(refused("the array is read-only"));
        }
        if array.copied_part().is_some() {
            return Err(refused(
                "parts of an array, as `.real`, `.imag` and `.view(dtype)` give them, have no memory to share: share the array's, and take them there",
            ));
        }
        let inner = array.inner()?;
        let Some(format) = format(inner.dtype()) else {
            return Err(refused(
                "memory of booleans is not shared: another library could write a byte that is neither 0 nor 1",
            ));
        };
        if !suits(inner, flags)? {
            return Err(refused("the array's elements are not contiguous"));
        }
        let _entered = frame::enter(py);
        let begun = inner.share();
        let mut sharing = begun.map_err(|error| refused(&error.to_string()))?;
        let waited = run::in_slices(py, |most| sharing.wait_for(most));
        waited.inspect_err(|error| INTERRUPTED.set(Some(error.clone_ref(py))))?;
        // An array without elements has no memory, and is never read.
        let first = sharing.address().raise()?;
        let first = first.unwrap_or(ptr::without_provenance_mut(size_of::<u64>()));
        let size = inner.dtype().size() as ffi::Py_ssize_t;
        let mut exported = Box::new(Exported {
            _sharing: sharing,
            shape: inner
                .shape()
                .iter()
                .map(|extent| *extent as ffi::Py_ssize_t)
                .collect(),
            strides: inner.distances().iter().map(|step| step * size).collect(),
        });
        let has = |flag: c_int| flags & flag == flag;
        // SAFETY: the view is CPython's; the data that it points to, including the boxed vectors,
        // live until it is released.
        unsafe {
            (*view).buf = first.cast::<c_void>();
            (*view).len = inner.len() as ffi::Py_ssize_t * size;
            (*view).itemsize = size;
            (*view).readonly = c_int::from(is_read_only);
            // Consumers that request no shape, such as `hashlib`, get a line of bytes.
            (*view).ndim = match has(ffi::PyBUF_ND) {
                true => inner.ndim() as c_int,
                false => 1,
            };
            (*view).format = match has(ffi::PyBUF_FORMAT) {
                true => format.as_ptr().cast_mut(),
                false => ptr::null_mut(),
            };
            (*view).shape = match has(ffi::PyBUF_ND) {
                true => exported.shape.as_mut_ptr(),
                false => ptr::null_mut(),
            };
            (*view).strides = match has(ffi::PyBUF_STRIDES) {
                true => exported.strides.as_mut_ptr(),
                false => ptr::null_mut(),
            };
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = Box::into_raw(exported).cast();
            (*view).obj = slf.clone().into_ptr();
        }
        Ok(())
    }

    /// # Safety
    /// CPython calls it once for each view that was filled.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: the pointer was made from a box above, and is freed once.
        drop(unsafe { Box::from_raw((*view).internal.cast::<Exported>()) });
    }
}

/// Exports the memory of a new NumPy array with the value of a number, which is waited for. NumPy's
/// scalars share theirs read-only. This memory is writable, which affects nothing else:
/// `numpy.asarray` uses it for its array.
fn export_number(slf: &Bound<'_, Array>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
    let py = slf.py();
    let value = kind::known_number(slf).inspect_err(|error| {
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            INTERRUPTED.set(Some(error.clone_ref(py)));
        }
    })?;
    let host = py.import("numpy")?.call_method1("array", (value,))?;
    // SAFETY: the view is CPython's. From here on it is a buffer of the NumPy array, and releasing
    // it releases that buffer.
    match unsafe { ffi::PyObject_GetBuffer(host.as_ptr(), view, flags) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(py)),
    }
}

/// Creates an array in the memory of `owner`, which is kept alive as long as the array's operations
/// need it. `shape` is in elements, `strides` in bytes. The package passes the properties of a
/// NumPy array.
#[pyfunction]
pub(crate) fn borrow(
    owner: &Bound<'_, PyAny>,
    address: usize,
    dtype: DTypeArgument,
    shape: Vec<usize>,
    strides: Vec<isize>,
    is_writeable: bool,
) -> PyResult<ResultArray> {
    let runtime = run::current()?;
    let _entered = frame::enter(owner.py());
    let first = ptr::with_exposed_provenance_mut(address);
    // If a worker drops it, the reference is released later on a Python thread.
    let keep = Box::new(owner.clone().unbind());
    // SAFETY: the NumPy array keeps its elements there while it lives, and the package does not
    // pass booleans. The thread that submits operations on the array waits for them. Another thread
    // that writes to the NumPy array meanwhile races as with NumPy itself, which also computes
    // without the interpreter: the program has to order the two. All bits are valid values of the
    // other dtypes.
    let made = unsafe { DynArray::from_memory(&runtime, dtype.0, &shape, &strides, first, keep) };
    let made = made.raise()?;
    Ok(match is_writeable {
        true => Array::own(made).into(),
        false => Array::locked(made).into(),
    })
}
