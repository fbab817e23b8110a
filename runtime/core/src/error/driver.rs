//! Errors of GPUs and their drivers.

use std::fmt;
use std::sync::Arc;

use super::shortage::Size;
use crate::site::Site;

/// The reason why a GPU cannot be used, or has failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// A library of NVIDIA is not installed.
    #[error("{library} was not found: {remedy}")]
    Missing {
        /// Name of the library.
        library: &'static str,
        /// Instructions to install it.
        remedy: &'static str,
    },
    /// A library of NVIDIA is too old.
    #[error("{library} is too old: it has no {lacks}; {remedy}")]
    TooOld {
        /// Name of the library.
        library: &'static str,
        /// A function that it lacks.
        lacks: &'static str,
        /// Instructions to install a newer one.
        remedy: &'static str,
    },
    /// The output of a library of NVIDIA is too new for the driver.
    #[error(
        "{library} {version} is newer than the driver, which supports CUDA {driver}; install that version, or a newer driver"
    )]
    TooNew {
        /// Name of the library.
        library: &'static str,
        /// Version of the library.
        version: String,
        /// The newest CUDA version that the driver supports.
        driver: String,
    },
    /// The driver is installed but sees no GPU.
    #[error("the CUDA driver sees no GPU; run with --gpus 0, or on a machine with one")]
    NoDevice,
    /// The process has fewer GPUs than requested.
    #[error(
        "--gpus {asked}: this process sees {found}; ask for at most that many, or change CUDA_VISIBLE_DEVICES"
    )]
    TooFew {
        /// Number of GPUs requested.
        asked: usize,
        /// Number of GPUs found.
        found: usize,
    },
    /// A GPU does not share memory with the host.
    #[error(
        "GPU {gpu} ({name}) cannot share unified memory with the host (its concurrentManagedAccess is 0); use device memory"
    )]
    NoUnified {
        /// Number of the GPU.
        gpu: u8,
        /// Name of the GPU.
        name: String,
    },
    /// A GPU has too little free memory.
    #[error("GPU {gpu} has no {bytes} bytes left")]
    OutOfMemory {
        /// Number of the GPU.
        gpu: u8,
        /// Number of bytes requested.
        bytes: usize,
    },
    /// A GPU has too little free memory for a library of NVIDIA.
    #[error(
        "GPU {gpu} has no memory left for {call} ({name}); run with --spill, lower --fbmem, or drop arrays"
    )]
    OutOfLibraryMemory {
        /// Number of the GPU.
        gpu: u8,
        /// Name of the function that needed memory.
        call: &'static str,
        /// NVIDIA's name of the error code.
        name: String,
    },
    /// The host cannot pin enough memory.
    #[error("the host has no {bytes} bytes left to pin; lower --zcmem")]
    OutOfPinned {
        /// Number of bytes requested.
        bytes: usize,
    },
    /// A generated kernel does not compile: a defect in Weft.
    #[error("kernel {kernel} does not compile: {log}; please report this")]
    Compile {
        /// Name of the kernel.
        kernel: String,
        /// Output of the compiler.
        log: String,
    },
    /// The CUDA C of a user's task does not compile.
    #[error("the CUDA C of {task} does not compile:\n{log}")]
    CompileTask {
        /// The name of the task or function.
        task: String,
        /// Output of the compiler, with the line numbers of the user's text.
        log: String,
    },
    /// A GPU runs nothing any more, because a kernel accessed memory wrongly or the hardware
    /// failed.
    #[error("GPU {gpu} has stopped: {call} returned {code} ({name}); {lost}")]
    Lost {
        /// Number of the GPU.
        gpu: u8,
        /// Name of the function that returned the error first.
        call: &'static str,
        /// The error code that it returned.
        code: u32,
        /// NVIDIA's name of the error code.
        name: String,
        /// The arrays that are lost.
        lost: Arc<LostArrays>,
    },
    /// A call of the driver, NVRTC, cuBLAS, cuFFT or cuSOLVER failed.
    #[error("{call} returned {code} ({name})")]
    Call {
        /// Name of the function.
        call: &'static str,
        /// The error code that it returned.
        code: u32,
        /// NVIDIA's name of the error code.
        name: String,
    },
}

/// Arrays that had elements only in the memory of a GPU that has stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LostArrays {
    /// Number of the arrays.
    pub count: usize,
    /// Size of their memory there in bytes.
    pub bytes: u64,
    /// The calls that made them, the largest first; each call once.
    pub sites: Vec<Site>,
}

/// Maximum number of calls that the message lists.
const NAMED: usize = 4;

impl fmt::Display for LostArrays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            0 => return write!(f, "no array is lost with it"),
            1 => write!(f, "1 array is lost with it")?,
            count => write!(f, "{count} arrays are lost with it")?,
        }
        write!(f, ", of {}, made at", Size(self.bytes))?;
        for (at, site) in self.sites.iter().take(NAMED).enumerate() {
            write!(f, "{} {site}", if at > 0 { "," } else { "" })?;
        }
        match self.sites.len().saturating_sub(NAMED) {
            0 => Ok(()),
            1 => write!(f, " and 1 other line"),
            more => write!(f, " and {more} other lines"),
        }
    }
}

impl DriverError {
    /// Returns whether it ends all work of its GPU: every later call of the driver fails too.
    pub(crate) fn stops_gpu(&self) -> bool {
        // CUDA_ERROR_ECC_UNCORRECTABLE, NVLINK_UNCORRECTABLE, ILLEGAL_ADDRESS, LAUNCH_TIMEOUT,
        // CONTEXT_IS_DESTROYED, ASSERT, HARDWARE_STACK_ERROR, ILLEGAL_INSTRUCTION,
        // MISALIGNED_ADDRESS, INVALID_ADDRESS_SPACE, INVALID_PC and LAUNCH_FAILED.
        const CODES: [u32; 12] = [214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719];
        match self {
            // Names of the driver's functions have a capital after `cu`; those of cuBLAS do not.
            DriverError::Call { call, code, .. } => {
                let rest = call.strip_prefix("cu");
                rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
                    && CODES.contains(code)
            }
            _ => false,
        }
    }

    /// Returns whether a GPU lacked memory, for an allocation or for a library's own use.
    pub(crate) fn lacks_memory(&self) -> bool {
        match self {
            DriverError::OutOfMemory { .. } | DriverError::OutOfLibraryMemory { .. } => true,
            // CUFFT_ALLOC_FAILED, CUSOLVER_STATUS_ALLOC_FAILED, CUBLAS_STATUS_ALLOC_FAILED.
            DriverError::Call { name, .. } => {
                name.ends_with("_ALLOC_FAILED") || name == "CUDA_ERROR_OUT_OF_MEMORY"
            }
            _ => false,
        }
    }

    /// Returns whether a GPU or the host lacked memory.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        self.lacks_memory() || matches!(self, DriverError::OutOfPinned { .. })
    }

    /// Adds the GPU and a remedy to an error of a call that lacked memory.
    pub(crate) fn on(self, gpu: u8) -> DriverError {
        let lacks_memory = self.lacks_memory();
        match self {
            DriverError::Call { call, name, .. } if lacks_memory => {
                DriverError::OutOfLibraryMemory { gpu, call, name }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str) -> DriverError {
        DriverError::Call {
            call: "cublasCreate_v2",
            code: 3,
            name: name.to_owned(),
        }
    }

    #[test]
    fn error_of_a_stopped_gpu_names_what_is_lost() {
        let at = Site::caller();
        let lost = |count, lines| LostArrays {
            count,
            bytes: 3 << 20,
            sites: vec![at; lines],
        };
        let text = lost(1, 1).to_string();
        assert_eq!(
            text,
            format!("1 array is lost with it, of 3,145,728 bytes (3.0 MiB), made at {at}")
        );
        assert!(lost(9, 6).to_string().ends_with(" and 2 other lines"));
        assert_eq!(lost(0, 0).to_string(), "no array is lost with it");
    }

    #[test]
    fn only_some_errors_of_the_driver_stop_a_gpu() {
        let stops = |call, code| {
            let name = String::new();
            DriverError::Call { call, code, name }.stops_gpu()
        };
        assert!(stops("cuEventSynchronize", 700) && stops("cuLaunchKernel", 719));
        assert!(!stops("cuLaunchKernel", 1) && !stops("cublasCreate_v2", 700));
    }

    #[test]
    fn failed_allocation_of_a_library_is_out_of_memory() {
        for name in ["CUBLAS_STATUS_ALLOC_FAILED", "CUDA_ERROR_OUT_OF_MEMORY"] {
            let error = call(name).on(1);
            assert!(error.is_out_of_memory(), "{name}");
            let text = error.to_string();
            assert!(
                text.starts_with("GPU 1 has no memory left for cublasCreate_v2"),
                "{text}"
            );
            assert!(text.contains("--spill"), "{text}");
        }
        let other = call("CUBLAS_STATUS_INTERNAL_ERROR");
        assert!(!other.is_out_of_memory());
        assert_eq!(other.clone().on(1), other);
    }
}
