//! The compiled kernels of one source.
#![allow(unsafe_code, reason = "calls compiled functions")]

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use super::compiler::{self, CompileError, Options};
use super::random::{Random, seed};
use super::stacks::MAX_THREADS;
use super::{signals, source, stacks, traffic};

/// A NaN as `double`, and in either half as `float`; as an integer far beyond any index.
pub(crate) const GARBAGE: u64 = 0xfff5_dead_7fd5_beef;

/// As `cuda_shim::Kernel`.
#[repr(C)]
struct RawKernel {
    name: *const c_char,
    count: u32,
    sizes: *const u32,
    call: *const (),
}

/// As `cuda_shim::Launch`.
#[repr(C)]
struct RawLaunch {
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    has_barriers: u32,
    seed: u64,
    params: *mut *mut u8,
}

type LaunchFn = unsafe extern "C" fn(*const RawKernel, *const RawLaunch, *mut u8) -> i32;
type MessageFn = unsafe extern "C" fn() -> *const c_char;
type KernelsFn = unsafe extern "C" fn(*mut u32, *mut u64) -> *const RawKernel;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaunchShape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Dynamic shared memory, in bytes.
    pub(crate) shared_bytes: u32,
}

/// A violation by a kernel, or the reason why it cannot be launched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kernel}: {what}; WEFT_EMULATED_SEED={seed}")]
pub struct Fault {
    /// The kernel's name.
    pub kernel: String,
    /// The violation, with the block and thread.
    pub what: String,
    /// The seed that reproduces it.
    pub seed: u64,
}

/// The parameters of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Bytes of each.
    pub sizes: Vec<usize>,
    /// The maximum number of threads in a block, from its `__launch_bounds__`.
    pub max_threads: u32,
}

struct Kernel {
    name: String,
    parameters: Parameters,
    raw: *const RawKernel,
}

/// Kernels of one source. The library stays loaded forever.
pub struct Module {
    kernels: Vec<Kernel>,
    shared_bytes: u64,
    has_barriers: bool,
    launch: LaunchFn,
    message: MessageFn,
    escape: signals::Escape,
    running: &'static Mutex<()>,
}

// SAFETY: the pointers are to constants of a library that stays loaded; launches hold the lock.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.kernels.iter().map(|kernel| &kernel.name))
            .finish()
    }
}

/// Serializes launches in this process: two modules of one source share the library's state.
static RUNNING: Mutex<()> = Mutex::new(());

impl Module {
    /// Returns whether this machine has a C++ compiler.
    pub fn can_compile() -> bool {
        compiler::is_present()
    }

    /// Compiles CUDA C, with products and sums rounded one by one (`--fmad=false`). Earlier results
    /// are loaded from the target folder.
    pub fn compile(text: &str) -> Result<Module, CompileError> {
        Module::compile_with(text, Options { fuses: false })
    }

    /// Compiles CUDA C with these options.
    pub fn compile_with(text: &str, options: Options) -> Result<Module, CompileError> {
        let path = compiler::library(text, options)?;
        let failed = |error: libloading::Error| CompileError::Cache {
            path: path.clone(),
            reason: error.to_string(),
        };
        // SAFETY: the library has no constructors; it was created by `library`.
        let library = unsafe { Library::new(&path) }.map_err(failed)?;
        // SAFETY: `cuda_shim_run.h` defines these functions with these signatures.
        let (launch, message, escape, list): (LaunchFn, MessageFn, signals::Escape, KernelsFn) = unsafe {
            (
                *library.get(b"weft_emulated_launch").map_err(failed)?,
                *library.get(b"weft_emulated_message").map_err(failed)?,
                *library.get(b"weft_emulated_fault").map_err(failed)?,
                *library.get(b"weft_emulated_kernels").map_err(failed)?,
            )
        };
        if traffic::is_counted() {
            // SAFETY: `cuda_shim_traffic.h` defines this function, and `Counter` is its structure.
            let count = unsafe {
                library.get::<unsafe extern "C" fn(*mut traffic::Counter)>(b"weft_emulated_traffic")
            };
            // SAFETY: the counter is never freed.
            unsafe { count.map_err(failed)?(traffic::address()) };
        }
        std::mem::forget(library);
        let (mut count, mut shared_bytes) = (0, 0);
        // SAFETY: both places are writable.
        let first = unsafe { list(&raw mut count, &raw mut shared_bytes) };
        let entries = source::entries(text);
        let mut kernels = Vec::new();
        for at in 0..count as usize {
            // SAFETY: the table has `count` entries, whose name and sizes are valid.
            let (raw, name, sizes) = unsafe {
                let raw = first.add(at);
                let sizes = std::slice::from_raw_parts((*raw).sizes, (*raw).count as usize);
                (raw, CStr::from_ptr((*raw).name), sizes)
            };
            let name = name.to_string_lossy().into_owned();
            let entry = entries.iter().find(|entry| entry.name == name);
            let parameters = Parameters {
                sizes: sizes.iter().map(|&size| size as usize).collect(),
                max_threads: entry.map_or(MAX_THREADS, |entry| entry.max_threads),
            };
            kernels.push(Kernel {
                name,
                parameters,
                raw,
            });
        }
        let has_barriers = source::has_barriers(text);
        Ok(Module {
            kernels,
            shared_bytes,
            has_barriers,
            launch,
            message,
            escape,
            running: &RUNNING,
        })
    }

    /// Returns the names of the kernels, in the order of the source.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|kernel| kernel.name.as_str())
    }

    /// Returns the parameters of a kernel.
    pub fn parameters(&self, kernel: &str) -> Option<&Parameters> {
        self.kernels
            .iter()
            .find(|known| known.name == kernel)
            .map(|kernel| &kernel.parameters)
    }

    /// Returns the bytes of static shared memory of all kernels together.
    pub(crate) fn shared_bytes(&self) -> u64 {
        self.shared_bytes
    }

    /// Runs a kernel to its end. Each argument is a word, of which a smaller parameter takes the
    /// lower bytes. Each call draws another order of threads from [`seed`].
    ///
    /// The caller guarantees addresses among the arguments: writes to other memory of the process
    /// are not detected. [`Memory`](super::Memory) detects them.
    pub fn launch(
        &self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        args: &mut [u64],
    ) -> Result<(), Fault> {
        static LAUNCHES: AtomicU64 = AtomicU64::new(0);
        let number = LAUNCHES.fetch_add(1, Ordering::Relaxed);
        let order = Random::new(seed().wrapping_add(number << 32)).next();
        let sizes = self
            .parameters(kernel)
            .map(|parameters| parameters.sizes.len());
        if sizes.is_some_and(|count| count != args.len()) {
            let what = format!(
                "{} arguments for {} parameters",
                args.len(),
                sizes.unwrap_or(0)
            );
            return Err(Fault {
                kernel: kernel.to_owned(),
                what,
                seed: seed(),
            });
        }
        let mut params: Vec<*mut u8> = args.iter_mut().map(|arg| (&raw mut *arg).cast()).collect();
        let shape = LaunchShape {
            grid,
            block,
            shared_bytes: 0,
        };
        // SAFETY: each parameter is a word of the caller's; no parameter is larger, as `launch_raw`
        // checks.
        unsafe { self.launch_raw(kernel, shape, &mut params, 8, order) }
    }

    /// Runs a kernel to its end, with pointers to the arguments.
    ///
    /// # Safety
    /// Each pointer is to as many bytes as the parameter has, or to `most` if that is less.
    pub(crate) unsafe fn launch_raw(
        &self,
        kernel: &str,
        shape: LaunchShape,
        params: &mut [*mut u8],
        most: usize,
        order: u64,
    ) -> Result<(), Fault> {
        let fault = |what: String| Fault {
            kernel: kernel.to_owned(),
            what,
            seed: seed(),
        };
        let Some(known) = self.kernels.iter().find(|known| known.name == kernel) else {
            return Err(fault("the source has no such kernel".to_owned()));
        };
        if let Some(size) = known.parameters.sizes.iter().find(|&&size| size > most) {
            return Err(fault(format!("a parameter of {size} bytes")));
        }
        if let Some(what) = self.mistake(shape, known) {
            return Err(fault(what));
        }
        let raw = RawLaunch {
            grid: shape.grid,
            block: shape.block,
            shared_bytes: shape.shared_bytes,
            has_barriers: u32::from(self.has_barriers),
            seed: order,
            params: params.as_mut_ptr(),
        };
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = stacks::with(|stacks| {
            signals::caught(self.escape, || {
                // SAFETY: the kernel is of this library, whose state the lock guards; stacks are
                // this thread's.
                unsafe { (self.launch)(known.raw, &raw const raw, stacks) }
            })
        });
        let result = match ended {
            Some(0) => Ok(()),
            Some(_) => {
                // SAFETY: a string of the library's that changes only when a launch begins.
                let message = unsafe { CStr::from_ptr((self.message)()) };
                Err(fault(message.to_string_lossy().into_owned()))
            }
            None => Err(fault("no memory for the stacks of its threads".to_owned())),
        };
        drop(running);
        result
    }

    /// Returns the reason why a GPU rejects a launch of this shape.
    fn mistake(&self, shape: LaunchShape, kernel: &Kernel) -> Option<String> {
        let LaunchShape {
            grid,
            block,
            shared_bytes,
        } = shape;
        let threads = block.iter().map(|&n| u64::from(n)).product::<u64>();
        let bounds = kernel.parameters.max_threads;
        if grid.contains(&0) || block.contains(&0) {
            Some(format!("grid {grid:?} of blocks {block:?} has no thread"))
        } else if grid[0] > i32::MAX as u32 || grid[1] > 65_535 || grid[2] > 65_535 {
            Some(format!("grid {grid:?} is too large"))
        } else if block[2] > 64 || threads > u64::from(MAX_THREADS) {
            Some(format!("block {block:?} is too large"))
        } else if threads > u64::from(bounds) {
            Some(format!(
                "block {block:?} has more threads than __launch_bounds__({bounds})"
            ))
        } else if self.shared_bytes + u64::from(shared_bytes) > 48 * 1024 {
            let bytes = self.shared_bytes + u64::from(shared_bytes);
            Some(format!("{bytes} bytes of shared memory, of 49152"))
        } else {
            None
        }
    }
}
