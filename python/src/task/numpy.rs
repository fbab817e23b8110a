//! NumPy arrays over the memory of a task, created by NumPy's C interface: through Python they take
//! ten times as long.

#![allow(unsafe_code, reason = "NumPy's C interface is a table of addresses")]

use std::ffi::{c_int, c_void};
use std::ptr;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Indices of NumPy's functions in its table, the same in all versions:
/// `numpy/_core/code_generators/numpy_api.py`.
const ARRAY_TYPE: usize = 2;
const NEW_FROM_DESCR: usize = 94;
const SET_BASE_OBJECT: usize = 282;

/// Flags of arrays.
const ALIGNED: c_int = 0x0100;
const WRITEABLE: c_int = 0x0400;

type NewFromDescr = unsafe extern "C" fn(
    *mut ffi::PyTypeObject,
    *mut ffi::PyObject,
    c_int,
    *const ffi::Py_ssize_t,
    *const ffi::Py_ssize_t,
    *mut c_void,
    c_int,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;
type SetBaseObject = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject) -> c_int;

/// The used part of NumPy's C interface.
struct Api {
    array_type: *mut ffi::PyTypeObject,
    new_from_descr: NewFromDescr,
    set_base_object: SetBaseObject,
}

// SAFETY: addresses of a library that stays loaded.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

static API: PyOnceLock<Api> = PyOnceLock::new();

/// Loads NumPy's interface, so that bodies do not have to import anything.
pub(super) fn load(py: Python<'_>) -> PyResult<()> {
    API.get_or_try_init(py, || find(py)).map(drop)
}

fn find(py: Python<'_>) -> PyResult<Api> {
    let module = py
        .import("numpy._core._multiarray_umath")
        .or_else(|_| py.import("numpy.core._multiarray_umath"))?;
    let capsule = module.getattr("_ARRAY_API")?;
    // SAFETY: a capsule without a name, as NumPy's own macro `import_array` takes it.
    let table = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), ptr::null()) };
    let table = table.cast::<*mut c_void>();
    if table.is_null() {
        return Err(PyErr::fetch(py));
    }
    // SAFETY: the table is NumPy's, and longer than these indices. The entries are those that the
    // constants are named after.
    unsafe {
        let [array_type, new, base] =
            [ARRAY_TYPE, NEW_FROM_DESCR, SET_BASE_OBJECT].map(|place| *table.add(place));
        if array_type.is_null() || new.is_null() || base.is_null() {
            return Err(PyImportError::new_err("NumPy's C interface is incomplete"));
        }
        Ok(Api {
            array_type: array_type.cast(),
            new_from_descr: std::mem::transmute::<*mut c_void, NewFromDescr>(new),
            set_base_object: std::mem::transmute::<*mut c_void, SetBaseObject>(base),
        })
    }
}

/// The memory of an array: its first element, extents, and strides in bytes.
pub(super) struct Over<'a> {
    pub(super) first: *mut u8,
    pub(super) dims: &'a [usize],
    pub(super) strides: &'a [isize],
    pub(super) is_written: bool,
}

/// Creates an array with elements of a NumPy dtype and with `base` as the owner of its memory.
///
/// # Safety
/// The elements have this layout as long as a reference to `base` exists. If the array is
/// read-only, they are not written.
pub(super) unsafe fn array<'py>(
    over: &Over<'_>,
    dtype: Bound<'py, PyAny>,
    base: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = base.py();
    let api = API.get_or_try_init(py, || find(py))?;
    let mut first = over.first;
    if first.is_null() || over.dims.contains(&0) {
        // Aligned, and never read. NumPy would allocate memory for a null pointer.
        first = ptr::without_provenance_mut(64);
    }
    let flags = if over.is_written { WRITEABLE } else { 0 } | ALIGNED;
    // SAFETY: as NumPy documents it: the call takes over the reference to the dtype; extents and
    // strides are pointer-sized, one for each axis, and are copied; the memory is as the caller
    // promises.
    let made = unsafe {
        (api.new_from_descr)(
            api.array_type,
            dtype.into_ptr(),
            over.dims.len() as c_int,
            over.dims.as_ptr().cast(),
            over.strides.as_ptr(),
            first.cast(),
            flags,
            ptr::null_mut(),
        )
    };
    // SAFETY: a new reference, or null with an exception.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, made)? };
    // SAFETY: the array is new and has no base; the call takes over the reference, even if it
    // fails.
    match unsafe { (api.set_base_object)(made.as_ptr(), base.clone().into_ptr()) } {
        0 => Ok(made),
        _ => Err(PyErr::fetch(py)),
    }
}
