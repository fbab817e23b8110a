//! Errors of GPUs and their drivers.

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
    #[error(
        "{library} is too old: it has no {lacks}; install NVIDIA's driver 525 (CUDA 12.0) or newer"
    )]
    TooOld {
        /// Name of the library.
        library: &'static str,
        /// A function that it lacks.
        lacks: &'static str,
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
    /// A GPU has too little free memory.
    #[error("GPU {gpu} has no {bytes} bytes left")]
    OutOfMemory {
        /// Number of the GPU.
        gpu: u8,
        /// Number of bytes requested.
        bytes: usize,
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

impl DriverError {
    /// Whether memory of a GPU was lacking, for an allocation or for what a library allocates
    /// itself.
    pub(crate) fn lacks_memory(&self) -> bool {
        match self {
            DriverError::OutOfMemory { .. } => true,
            // CUFFT_ALLOC_FAILED, CUSOLVER_STATUS_ALLOC_FAILED, CUBLAS_STATUS_ALLOC_FAILED.
            DriverError::Call { name, .. } => name.ends_with("_ALLOC_FAILED"),
            _ => false,
        }
    }
}
