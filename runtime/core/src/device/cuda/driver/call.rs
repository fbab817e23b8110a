//! Errors for the return values of NVIDIA's functions.

use std::ffi::CStr;

use super::sys::{self, CUresult};
use crate::error::DriverError;

/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub(super) const OUT_OF_MEMORY: u32 = 2;
/// `CUDA_ERROR_STUB_LIBRARY`.
pub(super) const STUB_LIBRARY: u32 = 34;
/// `CUDA_ERROR_NO_DEVICE`.
pub(super) const NO_DEVICE: u32 = 100;
/// `CUDA_ERROR_NOT_READY`.
pub(super) const NOT_READY: u32 = 600;
/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
pub(super) const PEER_ACCESS_ALREADY_ENABLED: u32 = 704;

/// Returns an error unless a call of the driver succeeded.
#[inline]
pub(super) fn check(call: &'static str, result: CUresult) -> Result<(), DriverError> {
    match result {
        0 => Ok(()),
        code => Err(failed(call, code)),
    }
}

/// Like [`check`], but with the error `lacking` if memory ran out.
pub(super) fn check_memory(
    call: &'static str,
    result: CUresult,
    lacking: DriverError,
) -> Result<(), DriverError> {
    match result {
        OUT_OF_MEMORY => Err(lacking),
        _ => check(call, result),
    }
}

#[cold]
fn failed(call: &'static str, code: u32) -> DriverError {
    DriverError::Call {
        call,
        code,
        name: name(code),
    }
}

/// Returns NVIDIA's name of a result.
fn name(code: u32) -> String {
    let mut text = std::ptr::null();
    // SAFETY: writes a pointer, and accepts any number.
    let known = unsafe { sys::cuGetErrorName(code, &mut text) } == 0;
    if !known || text.is_null() {
        return "a result without a name".into();
    }
    // SAFETY: the driver returns a zero-terminated text that lives as long as the driver.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
