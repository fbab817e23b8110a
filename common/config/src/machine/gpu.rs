//! GPUs reported by the CUDA driver.
#![allow(
    unsafe_code,
    reason = "the driver's functions are called by the signatures of cuda.h"
)]

use std::ffi::{CStr, c_char, c_int};

use libloading::{Library, Symbol};

use super::bundle::CudaVersion;
use super::component::{Component, component};
use super::library::{file_of, first};
use crate::bytes::Bytes;

/// A GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// The name.
    pub name: String,
    /// The size of the memory.
    pub memory: Bytes,
    /// The compute capability, major and minor.
    pub capability: (i32, i32),
}

const DRIVER: &str = "libcuda.so.1";

/// Returns the number of GPUs that this process may use, without creating a context.
pub fn count() -> usize {
    let Some((library, _)) = first(&[DRIVER.into()]) else {
        return 0;
    };
    let devices = started(&library);
    // Once started, the driver has its own threads, so it is never unloaded.
    std::mem::forget(library);
    devices.map_or(0, |devices| usize::try_from(devices).unwrap_or(0))
}

const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;

/// The driver and its GPUs.
pub(super) struct Probe {
    /// The GPUs.
    pub(super) gpus: Vec<Gpu>,
    /// The newest CUDA version that the driver supports; `None` if there is no driver.
    pub(super) version: Option<CudaVersion>,
    /// The driver as a component.
    pub(super) driver: Component,
}

/// Finds the driver and the GPUs.
pub(super) fn probe() -> Probe {
    let (mut gpus, mut version) = (Vec::new(), None);
    let state = match first(&[DRIVER.into()]) {
        None => Err(format!("{DRIVER} cannot be loaded")),
        Some((library, name)) => {
            version = supported(&library).ok();
            let found = read_gpus(&library);
            let file = file_of(&name).unwrap_or(name);
            std::mem::forget(library);
            found.map(|found| {
                gpus = found;
                let (major, minor) = version.unwrap_or_default();
                format!("CUDA {major}.{minor}, {}", file.display())
            })
        }
    };
    let driver = component(
        "CUDA driver",
        "tasks on GPUs, and their kernels under nsys",
        state,
        "use a machine with an NVIDIA GPU and NVIDIA's driver",
    );
    Probe {
        gpus,
        version,
        driver,
    }
}

/// Returns the newest CUDA version that the driver supports.
fn supported(library: &Library) -> Result<CudaVersion, String> {
    let version: Symbol<'_, unsafe extern "C" fn(*mut c_int) -> c_int> =
        symbol(library, c"cuDriverGetVersion")?;
    let mut number = 0;
    // SAFETY: `cuDriverGetVersion(int *)`.
    match unsafe { version(&mut number) } {
        0 => {}
        code => return Err(format!("cuDriverGetVersion returned {code}")),
    }
    let number = u32::try_from(number).unwrap_or(0);
    Ok((number / 1000, number % 1000 / 10))
}

fn read_gpus(library: &Library) -> Result<Vec<Gpu>, String> {
    supported(library)?;
    (0..started(library)?)
        .map(|at| read_gpu(library, at))
        .collect()
}

/// Starts the driver, and returns the number of visible GPUs.
fn started(library: &Library) -> Result<c_int, String> {
    let init: Symbol<'_, unsafe extern "C" fn(u32) -> c_int> = symbol(library, c"cuInit")?;
    let device_count: Symbol<'_, unsafe extern "C" fn(*mut c_int) -> c_int> =
        symbol(library, c"cuDeviceGetCount")?;
    // SAFETY: `cuInit(unsigned int)` with the only valid flags.
    match unsafe { init(0) } {
        0 => {}
        // CUDA_ERROR_NO_DEVICE
        100 => return Err("the driver is installed but finds no GPU".into()),
        code => {
            return Err(format!(
                "the driver cannot be initialised: cuInit returned {code}"
            ));
        }
    }
    let mut devices = 0;
    // SAFETY: `cuDeviceGetCount(int *)`.
    match unsafe { device_count(&mut devices) } {
        0 => Ok(devices),
        code => Err(format!("cuDeviceGetCount returned {code}")),
    }
}

fn read_gpu(library: &Library, ordinal: c_int) -> Result<Gpu, String> {
    type Get = unsafe extern "C" fn(*mut c_int, c_int) -> c_int;
    type Name = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int;
    type Memory = unsafe extern "C" fn(*mut usize, c_int) -> c_int;
    type Attribute = unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int;
    let get: Symbol<'_, Get> = symbol(library, c"cuDeviceGet")?;
    let name: Symbol<'_, Name> = symbol(library, c"cuDeviceGetName")?;
    let memory: Symbol<'_, Memory> = symbol(library, c"cuDeviceTotalMem_v2")?;
    let attribute: Symbol<'_, Attribute> = symbol(library, c"cuDeviceGetAttribute")?;

    let (mut device, mut bytes) = (0, 0usize);
    let mut text = [0u8; 256];
    let mut capability = (0, 0);
    // SAFETY: each pointer is to a value of the type in cuda.h. The given length of the name is one
    // byte less than the buffer, so that the name ends with a zero.
    let codes = unsafe {
        [
            get(&mut device, ordinal),
            name(text.as_mut_ptr().cast(), text.len() as c_int - 1, device),
            memory(&mut bytes, device),
            attribute(&mut capability.0, CAPABILITY_MAJOR, device),
            attribute(&mut capability.1, CAPABILITY_MINOR, device),
        ]
    };
    if let Some(code) = codes.iter().find(|code| **code != 0) {
        return Err(format!("the driver returned {code} for GPU {ordinal}"));
    }
    let name = CStr::from_bytes_until_nul(&text).unwrap_or(c"");
    Ok(Gpu {
        name: name.to_string_lossy().into_owned(),
        memory: Bytes(bytes as u64),
        capability,
    })
}

fn symbol<'a, T>(library: &'a Library, name: &CStr) -> Result<Symbol<'a, T>, String> {
    // SAFETY: the caller's type is the function's signature in cuda.h.
    unsafe { library.get(name.to_bytes_with_nul()) }.map_err(|_| {
        format!(
            "the driver is too old: it has no {}",
            name.to_string_lossy()
        )
    })
}
