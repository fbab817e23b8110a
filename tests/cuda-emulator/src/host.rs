//! CUDA C on the CPU: compiled with the system's C++ compiler, and run in ways that careless
//! kernels do not expect.
//!
//! Blocks run one after the other in a random order, as do threads of a block between barriers.
//! Shared memory holds NaNs when a block begins. A launch ends with a [`Fault`] if the behaviour of
//! a GPU would be undefined: undefined behaviour of C++ (signed overflow, shifts by too much, casts
//! of floating-point values that do not fit, misaligned addresses, indexes beyond an array), memory
//! that is not mapped, barriers that not all threads of a block reach, shuffles with lanes that
//! do not participate (their values are garbage).
//!
//! Limits: without parallelism, atomics never conflict, and a thread that waits for another block
//! waits forever. Warps do not run in lockstep. Transcendental functions are rounded as on the
//! host.
//!
//! Sources can use CUDA's built-in names, but no headers. Functions of warps accept only the full
//! mask (`0xffffffff`).

mod cache;
mod compiler;
mod memory;
mod module;
pub(crate) mod paging;
mod random;
mod signals;
mod source;
mod stacks;
pub(crate) mod traffic;

pub(crate) use cache::{folder as cache_folder, this_object};
pub use compiler::{CompileError, Options};
pub use memory::Memory;
pub use module::{Fault, Module, Parameters};
pub use random::{Random, seed};

pub(crate) use module::{GARBAGE, LaunchShape};
pub(crate) use signals::guard;
