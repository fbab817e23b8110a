//! An emulator of NVIDIA's driver, compiler, cuBLAS, cuFFT, cuSOLVER and CUPTI, for tests on
//! machines without a GPU.
//!
//! One library stands for six: [`install()`] makes a folder in which `libcuda.so.1`,
//! `libnvrtc.so.13`, `libcublas.so.13`, `libcufft.so.12`, `libcusolver.so.12` and `libcupti.so.13`
//! are links to it. A program that finds this folder first (`LD_LIBRARY_PATH`) runs its CUDA C on
//! the CPU and never notices. [`host`] alone, as a Rust library, compiles and runs kernels without
//! a driver around them.
//!
//! # What it is
//! An adversary. What a GPU may do, but seldom does, it does often:
//!
//! - Work is queued and runs late: when a call waits for it, now and then when one asks, and by a
//!   thread of its own. Its order is random, and keeps only what streams, events and the edges of
//!   graphs demand. A wait for one event may run nothing that the event does not need.
//! - Memory holds NaNs when it is allocated, and becomes inaccessible when it is freed, even if
//! work still needs it. Only permitted kernels, copies and fills of a GPU can access device memory
//! by address. Addresses are aligned to 256 bytes and not to more. Writes beyond an allocation's
//! end are reported when it is freed.
//! - GPU failures are reported late, and persist: every later call returns the same code.
//! - The libraries end when the process exits, before functions that were registered earlier. Then
//!   cuFFT, cuSOLVER, CUPTI and NVRTC abort at each call, and the driver answers
//!   `CUDA_ERROR_DEINITIALIZED`.
//! - CUPTI delivers records late, on its own thread, in no order of time, on a clock with an
//!   offset and a drift.
//! - Everything random is drawn from `$WEFT_EMULATED_SEED`, which each complaint on stderr repeats.
//!
//! # What it is not
//! Fast, or parallel: one piece of work runs at a time, and one thread of a block. Of each library
//! it has what Weft uses and a little more; a function that it lacks is absent. Modules come from
//! its own NVRTC only. Graphs have kernels, fills and empty nodes; there is no stream capture, no
//! memory pool, no driver callback of CUPTI but the resource ones for graphs. Kernels run in the
//! program's own address space, so that one that writes to memory of the host by a wrong address is
//! not noticed. Which instruction a GPU would run, and how long, it cannot tell.
//!
//! # Environment
//! | variable | meaning |
//! |---|---|
//! | `WEFT_EMULATED_SEED` | what all randomness is drawn from |
//! | `WEFT_EMULATED_GPUS` | how many GPUs there are (1); 0: the driver finds no device |
//! | `WEFT_EMULATED_GPU_MIB` | memory of each, in MiB (256) |
//! | `WEFT_EMULATED_FAIL` | `cuMemAlloc_v2:3` fails the third call of it; `:3=700` with this code; `:3+` the later ones too; more with commas. `kernel:5=700` has the fifth kernel fail on its GPU |
//! | `WEFT_EMULATED_COMPILE_MS` | time that each compilation by NVRTC takes longer, in ms (0) |
//! | `WEFT_EMULATED_CUPTI` | version of CUPTI: `13.0`, or `12.4` with its smaller records |
//! | `WEFT_EMULATED_CUPTI_HELD` | `cuptiSubscribe` gives this code: another tool holds CUPTI (39, of older ones 12) |
//! | `WEFT_EMULATED_DROP` | each n-th record of CUPTI is dropped and counted |
//! | `WEFT_EMULATED_UNTIMED` | each n-th kernel's record has no times |
//! | `CUDA_VISIBLE_DEVICES` | as the driver's; numbers only |

mod cublas;
mod cufft;
mod cupti;
mod cusolver;
mod driver;
mod failing;
pub mod host;
mod install;
mod machine;
mod nvrtc;
mod process;
mod teardown;

pub use install::{install, library};
pub use process::{emulate, emulated, end_of, folder};
