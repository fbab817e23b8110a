//! What can go wrong with GPUs.

/// Why a GPU cannot be used, or does not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// A library of NVIDIA's is not there.
    #[error("{library} was not found: {remedy}")]
    Missing {
        /// Its name.
        library: &'static str,
        /// How to get it.
        remedy: &'static str,
    },
    /// A library of NVIDIA's is too old.
    #[error(
        "{library} is too old: it has no {lacks}; install NVIDIA's driver 525 (CUDA 12.0) or newer"
    )]
    TooOld {
        /// Its name.
        library: &'static str,
        /// A function that it should have.
        lacks: &'static str,
    },
    /// A library of NVIDIA's makes what the driver does not understand.
    #[error(
        "{library} {version} is newer than the driver, which knows CUDA {driver}; install one no newer, or a newer driver"
    )]
    TooNew {
        /// Its name.
        library: &'static str,
        /// Its version.
        version: String,
        /// The newest CUDA that the driver knows.
        driver: String,
    },
    /// The driver is there and sees no GPU.
    #[error("the CUDA driver sees no GPU; run with --gpus 0, or on a machine with one")]
    NoDevice,
    /// More GPUs were asked for than there are.
    #[error(
        "--gpus {asked}: this process sees {found}; ask for at most that many, or change CUDA_VISIBLE_DEVICES"
    )]
    TooFew {
        /// Asked for.
        asked: usize,
        /// Seen.
        found: usize,
    },
    /// A GPU has not the memory asked for.
    #[error("GPU {gpu} has no {bytes} bytes left")]
    OutOfMemory {
        /// Its number.
        gpu: u8,
        /// Bytes asked for.
        bytes: usize,
    },
    /// The host has not the memory that was to be pinned.
    #[error("the host has no {bytes} bytes left to pin; lower --zcmem")]
    OutOfPinned {
        /// Bytes asked for.
        bytes: usize,
    },
    /// A generated kernel does not compile: a defect in Weft.
    #[error("kernel {kernel} does not compile: {log}; please report this")]
    Compile {
        /// Its name.
        kernel: String,
        /// What the compiler says.
        log: String,
    },
    /// The CUDA C of a user's task does not compile.
    #[error("the CUDA C of {task} does not compile:\n{log}")]
    CompileTask {
        /// The name of the task or function.
        task: String,
        /// What the compiler says; lines are those of the user's text.
        log: String,
    },
    /// A call of the driver, NVRTC, cuBLAS, cuFFT or cuSOLVER failed.
    #[error("{call} returned {code} ({name})")]
    Call {
        /// The function.
        call: &'static str,
        /// What it returned.
        code: u32,
        /// NVIDIA's name of that.
        name: String,
    },
}
