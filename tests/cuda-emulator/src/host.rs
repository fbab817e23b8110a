//! CUDA C on the CPU: compiled with the system's C++ compiler, and run in ways that careless
//! kernels do not expect.
//!
//! Blocks run one after the other in a random order, threads of a block too between their barriers.
//! Shared memory holds NaNs when a block begins. A launch ends with a [`Fault`] where a GPU would
//! be free to do anything: undefined behaviour of C++ (signed overflow, shifts by too much, casts
//! of floating-point values that do not fit, misaligned addresses, indexes beyond an array), memory
//! that is not mapped, barriers that not all threads of a block reach, shuffles with lanes that
//! take no part (their values are garbage).
//!
//! Limits: there is no parallelism, so that atomics never meet, and a thread that waits for another
//! block waits forever. A warp has no lockstep. Rounding of transcendental functions is the
//! host's.
//!
//! Sources see CUDA's built-in names and no header. Of warps, full masks (`0xffffffff`) are known
//! only.

mod cache;
mod compiler;
mod memory;
mod module;
mod random;
mod signals;
mod source;
mod stacks;

pub(crate) use cache::{folder as cache_folder, this_object};
pub use compiler::{CompileError, Options};
pub use memory::Memory;
pub use module::{Fault, Module, Parameters};
pub use random::{Random, seed};

pub(crate) use module::{GARBAGE, LaunchShape};
pub(crate) use signals::guard;

use module::MAX_THREADS;
