//! Whether the CUDA driver is there and has all that is called. `cudarc` panics where a library or a function lacks,
//! so nothing of it is called before this has looked.

use std::sync::OnceLock;

use cudarc::driver::sys;

use super::super::error::DriverError;
use super::call;

const LIBRARY: &str = "libcuda.so.1";

/// Every function of the driver that Weft calls.
const FUNCTIONS: &[&str] = &[
    "cuCtxEnablePeerAccess",
    "cuCtxPopCurrent_v2",
    "cuCtxPushCurrent_v2",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceCanAccessPeer",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetUuid_v2",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuGetErrorName",
    "cuGraphAddKernelNode_v2",
    "cuGraphCreate",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAlloc_v2",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemcpyAsync",
    "cuMemcpyPeerAsync",
    "cuMemsetD16Async",
    "cuMemsetD32Async",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamWaitEvent",
];

/// Starts the driver, once for the process; returns the number of GPUs it shows, at least 1.
pub(super) fn start() -> Result<usize, DriverError> {
    static STARTED: OnceLock<Result<usize, DriverError>> = OnceLock::new();
    STARTED.get_or_init(first_start).clone()
}

fn first_start() -> Result<usize, DriverError> {
    // SAFETY: loads the driver's library, if it is there.
    if !unsafe { sys::is_culib_present() } {
        return Err(DriverError::Missing {
            library: LIBRARY,
            remedy: "install NVIDIA's driver, on a machine with an NVIDIA GPU, or run with --gpus 0",
        });
    }
    // SAFETY: the library is present.
    let library = unsafe { sys::culib() };
    for lacks in FUNCTIONS {
        // SAFETY: the symbol is only looked up.
        if unsafe { library.get::<unsafe extern "C" fn()>(lacks.as_bytes()) }.is_err() {
            return Err(DriverError::TooOld {
                library: LIBRARY,
                lacks,
            });
        }
    }
    // SAFETY: 0 are the only flags there are.
    let result = unsafe { sys::cuInit(0) };
    match result as u32 {
        call::NO_DEVICE => return Err(DriverError::NoDevice),
        call::STUB_LIBRARY => {
            return Err(DriverError::Missing {
                library: LIBRARY,
                remedy: "what is loaded in its place is the toolkit's stub; take the folder `stubs` out of LD_LIBRARY_PATH",
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

/// The newest CUDA that the driver knows, as in (13, 0).
pub(super) fn version() -> Result<(u32, u32), DriverError> {
    let mut version = 0;
    // SAFETY: writes one number.
    call::check("cuDriverGetVersion", unsafe {
        sys::cuDriverGetVersion(&mut version)
    })?;
    let version = u32::try_from(version).unwrap_or(0);
    Ok((version / 1000, version % 1000 / 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_are_all_that_is_called() {
        let mut called = std::collections::BTreeSet::new();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/device/cuda");
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    if !path.ends_with("tests") {
                        folders.push(path);
                    }
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                for (at, _) in text.match_indices("sys::cu") {
                    let name: String = text[at + 5..]
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect();
                    let is_function = name.chars().nth(2).is_some_and(char::is_uppercase);
                    if is_function {
                        called.insert(name);
                    }
                }
            }
        }
        called.insert("cuGetErrorName".into());
        let known: std::collections::BTreeSet<String> =
            FUNCTIONS.iter().map(|&name| name.into()).collect();
        assert_eq!(called, known);
    }
}
