//! Start of the CUDA driver: checks for the library, its functions and a GPU.

use std::sync::OnceLock;

use super::call;
use super::sys::{self, LIBRARY, Unusable};
use crate::error::DriverError;

/// Starts the driver, once per process. Returns the number of visible GPUs, at least 1.
pub(super) fn start() -> Result<usize, DriverError> {
    static STARTED: OnceLock<Result<usize, DriverError>> = OnceLock::new();
    STARTED.get_or_init(first_start).clone()
}

fn first_start() -> Result<usize, DriverError> {
    match sys::load() {
        Ok(()) => {}
        Err(Unusable::Missing) => {
            return Err(DriverError::Missing {
                library: LIBRARY,
                remedy: "install NVIDIA's driver, on a machine with an NVIDIA GPU, or run with --gpus 0",
            });
        }
        Err(Unusable::Lacks(lacks)) => {
            return Err(DriverError::TooOld {
                library: LIBRARY,
                lacks,
                remedy: "install NVIDIA's driver 525 (CUDA 12.0) or newer",
            });
        }
    }
    // SAFETY: 0 is the only valid value for flags.
    let result = unsafe { sys::cuInit(0) };
    match result {
        call::NO_DEVICE => return Err(DriverError::NoDevice),
        call::STUB_LIBRARY => {
            return Err(DriverError::Missing {
                library: LIBRARY,
                remedy: "the toolkit's stub was loaded instead; remove the folder `stubs` from LD_LIBRARY_PATH",
            });
        }
        _ => call::check("cuInit", result)?,
    }
    let mut count = 0;
    // SAFETY: writes one number.
    call::check("cuDeviceGetCount", unsafe {
        sys::cuDeviceGetCount(&mut count)
    })?;
    match usize::try_from(count) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(DriverError::NoDevice),
    }
}

/// Returns the newest CUDA version that the driver supports, for example (13, 0).
pub(super) fn version() -> Result<(u32, u32), DriverError> {
    let mut version = 0;
    // SAFETY: writes one number.
    call::check("cuDriverGetVersion", unsafe {
        sys::cuDriverGetVersion(&mut version)
    })?;
    let version = u32::try_from(version).unwrap_or(0);
    Ok((version / 1000, version % 1000 / 10))
}
