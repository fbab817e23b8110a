//! An emulator of NVIDIA's driver, compiler, cuBLAS, cuFFT, cuSOLVER and CUPTI, for tests on
//! machines without a GPU.
//!
//! One library replaces six: [`install()`] creates a folder in which `libcuda.so.1`,
//! `libnvrtc.so.13`, `libcublas.so.13`, `libcufft.so.12`, `libcusolver.so.12` and `libcupti.so.13`
//! are links to it. A program with this folder first in `LD_LIBRARY_PATH` runs its CUDA C on the
//! CPU, without changes. As a Rust library, [`host`] compiles and runs kernels without a driver.
//!
//! # Purpose
//! The emulator is an adversary: it often does what GPUs may do but seldom do.
//!
//! - Work is queued and runs late: when a call waits for it, sometimes when a call polls it, and on
//!   a separate thread. Its order is random, within the constraints of streams, events and edges of
//!   graphs. A wait for one event may run nothing that the event does not need.
//! - Memory holds NaNs when it is allocated, and becomes inaccessible when it is freed, even if
//!   work still needs it. Only permitted kernels, copies and fills of a GPU can access device
//!   memory by address. Addresses are aligned to exactly 256 bytes. Writes beyond an allocation's
//!   end are reported when it is freed.
//! - GPU failures are reported late, and persist: every later call returns the same code.
//! - The libraries end when the process exits, before functions that were registered earlier. Then
//!   cuFFT, cuSOLVER, CUPTI and NVRTC abort at each call, and the driver returns
//!   `CUDA_ERROR_DEINITIALIZED`.
//! - CUPTI delivers records late, on its own thread, not in the order of time, on a clock with an
//!   offset and a drift.
//! - All random decisions depend on `$WEFT_EMULATED_SEED`, which each message on stderr repeats.
//!
//! # Limits
//! The emulator is neither fast nor parallel: it runs one piece of work and one thread of a block
//! at a time. Of each library it has little more than the functions that Weft uses; others are
//! absent. Modules come only from its NVRTC. Graphs have kernels, fills and empty nodes. There is
//! no stream capture, no memory pool, and no driver callback of CUPTI except for resources of
//! graphs. Kernels run in the program's address space, so their writes to wrong host addresses are
//! not detected. The instructions and the speed of a GPU are not emulated.
//!
//! # Environment
//! | variable | meaning |
//! |---|---|
//! | `WEFT_EMULATED_SEED` | the seed of all random decisions |
//! | `WEFT_EMULATED_GPUS` | number of GPUs (1); 0: the driver finds no device |
//! | `WEFT_EMULATED_GPU_MIB` | memory of each, in MiB (256) |
//! | `WEFT_EMULATED_FAIL` | list: `cuMemAlloc_v2:3` fails the third call; `:3=700` with this code; `:3+` later calls too; `kernel:5=700` fails the fifth kernel on its GPU |
//! | `WEFT_EMULATED_COMPILE_MS` | additional time of each compilation by NVRTC, in ms (0) |
//! | `WEFT_EMULATED_CUPTI` | version of CUPTI: `13.0`, or `12.4` with its smaller records |
//! | `WEFT_EMULATED_CUPTI_HELD` | `cuptiSubscribe` returns this code: another tool holds CUPTI (39; older versions 12) |
//! | `WEFT_EMULATED_DROP` | each n-th record of CUPTI is dropped and counted |
//! | `WEFT_EMULATED_UNTIMED` | each n-th kernel's record has no times |
//! | `WEFT_EMULATED_CALLS` | a file to which the name of each call of the driver is appended |
//! | `WEFT_EMULATED_TRAFFIC` | a file to which the bytes that each piece of device work moved are appended |
//! | `CUDA_VISIBLE_DEVICES` | as for the driver; numbers only |

mod cublas;
mod cufft;
mod cupti;
mod cusolver;
mod driver;
mod failing;
pub mod host;
mod install;
mod log;
mod machine;
mod nvrtc;
mod process;
mod report;
mod teardown;

pub use install::{install, library};
pub use process::{emulate, emulated, end_of, folder};
