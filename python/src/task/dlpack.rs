//! DLPack: a description of memory that libraries exchange in a Python capsule.
//!
//! The structures are those of `dlpack.h`, version 1.0, and the older one without a version.

#![allow(unsafe_code, reason = "structures and capsules of C")]

use std::ffi::{CStr, c_void};
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use weft::dtype::DType;

/// The memory of an NVIDIA GPU: `kDLCUDA`.
pub(super) const CUDA: i32 = 2;

/// The flag of a versioned tensor that must not be written.
const READ_ONLY: u64 = 1;

const NAME: &CStr = c"dltensor";
const VERSIONED_NAME: &CStr = c"dltensor_versioned";

#[repr(C)]
struct Device {
    kind: i32,
    id: i32,
}

#[repr(C)]
struct Type {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device: Device,
    axes: i32,
    dtype: Type,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: DlTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
struct Versioned {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: DlTensor,
}

/// The description of GPU memory, which it does not own.
pub(super) struct Tensor {
    pub(super) first: u64,
    pub(super) device: i32,
    pub(super) dtype: DType,
    pub(super) shape: Box<[i64]>,
    /// Elements between neighbours.
    pub(super) strides: Box<[i64]>,
    pub(super) is_read_only: bool,
}

/// A structure with the data that it points to.
struct Exported<T> {
    managed: T,
    of: Tensor,
}

fn type_of(dtype: DType) -> Type {
    let code = match dtype {
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => 0,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 1,
        DType::F16 | DType::F32 | DType::F64 => 2,
        DType::C64 | DType::C128 => 5,
        DType::Bool => 6,
    };
    Type {
        code,
        bits: 8 * dtype.size() as u8,
        lanes: 1,
    }
}

/// Frees a structure; called by its consumer.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: the context is the box that `capsule` has made, which is given back once, as DLPack
    // demands.
    drop(unsafe { Box::from_raw((*managed).context.cast::<Exported<Managed>>()) });
}

/// Frees a versioned structure; called by its consumer.
unsafe extern "C" fn delete_versioned(managed: *mut Versioned) {
    // SAFETY: as above.
    drop(unsafe { Box::from_raw((*managed).context.cast::<Exported<Versioned>>()) });
}

/// Frees a capsule, with its structure if no consumer has taken that. A consumer renames the
/// capsule.
unsafe extern "C" fn end(capsule: *mut ffi::PyObject) {
    // SAFETY: CPython passes the capsule that ends. While the name is unchanged, its pointer is the
    // one set by `capsule`.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        } else if ffi::PyCapsule_IsValid(capsule, VERSIONED_NAME.as_ptr()) == 1 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED_NAME.as_ptr()).cast());
        }
    }
}

impl Tensor {
    fn described(&mut self) -> DlTensor {
        DlTensor {
            data: ptr::with_exposed_provenance_mut(self.first as usize),
            device: Device {
                kind: CUDA,
                id: self.device,
            },
            axes: self.shape.len() as i32,
            dtype: type_of(self.dtype),
            shape: self.shape.as_mut_ptr(),
            strides: self.strides.as_mut_ptr(),
            byte_offset: 0,
        }
    }

    /// Creates a capsule: of the versioned structure, which can be read-only, or of the older one.
    pub(super) fn capsule(
        mut self,
        py: Python<'_>,
        is_versioned: bool,
    ) -> PyResult<Bound<'_, PyAny>> {
        let tensor = self.described();
        let (pointer, name) = match is_versioned {
            true => {
                let managed = Versioned {
                    version: [1, 0],
                    context: ptr::null_mut(),
                    deleter: Some(delete_versioned),
                    flags: if self.is_read_only { READ_ONLY } else { 0 },
                    tensor,
                };
                let made = Box::into_raw(Box::new(Exported { managed, of: self }));
                // SAFETY: just made, and used by this function alone. The boxed data keep their
                // address from here on.
                unsafe {
                    (*made).managed.tensor = (*made).of.described();
                    (*made).managed.context = made.cast();
                }
                // SAFETY: as above.
                let managed = unsafe { &raw mut (*made).managed };
                (managed.cast::<c_void>(), VERSIONED_NAME)
            }
            false => {
                let managed = Managed {
                    tensor,
                    context: ptr::null_mut(),
                    deleter: Some(delete),
                };
                let made = Box::into_raw(Box::new(Exported { managed, of: self }));
                // SAFETY: just made, and used by this function alone. The boxed data keep their
                // address from here on.
                unsafe {
                    (*made).managed.tensor = (*made).of.described();
                    (*made).managed.context = made.cast();
                }
                // SAFETY: as above.
                let managed = unsafe { &raw mut (*made).managed };
                (managed.cast::<c_void>(), NAME)
            }
        };
        // SAFETY: a pointer that is not null, a name that lives forever, and a destructor of the
        // right type.
        let made = unsafe { ffi::PyCapsule_New(pointer, name.as_ptr(), Some(end)) };
        // SAFETY: a new reference, or null with an exception.
        unsafe { Bound::from_owned_ptr_or_err(py, made) }
    }
}
