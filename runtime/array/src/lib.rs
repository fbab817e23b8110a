//! An array runtime you can see through.
//!
//! Programs use whole-array operations. The runtime divides each operation into tasks, one per
//! tile, and runs them on CPU workers or GPUs while the program continues. Every task carries a UID
//! and the source line that caused it, down to the kernel.
//!
//! ```
//! use ndarray::s;
//!
//! # fn main() -> Result<(), weft::Error> {
//! let grid = weft::zeros::<f64>(&[6, 6]);
//! grid.slice(s![0, ..]).fill(40.0);
//! let center = grid.slice(s![1..-1, 1..-1]);
//! let north = grid.slice(s![..-2, 1..-1]);
//! center.assign(0.5 * (&center + &north));
//! assert_eq!(grid.sum().item(), 6.0 * 40.0 + 4.0 * 20.0);
//! weft::finish()?;
//! # Ok(())
//! # }
//! ```
//!
//! # The path of data
//!
//! 1. [`program`]: calls on arrays check their arguments, and return at once.
//! 2. `lower`: operands are brought to one dtype and shape. A call becomes one operation, or
//!    several that leave partial results and combine them.
//! 3. `operation`: the operation as plain data with a UID and a source line. `weft_geometry`
//!    divides it into tiles.
//! 4. `task`: an operation on one tile. The analysis finds its predecessors. It enters the ready
//!    queue when they have finished.
//! 5. [`kernel`]: loops over one tile. `device` runs them; `memory` holds their operands.
//! 6. `observe`: records in `weft_<rank>.prof`, and NVTX ranges.
//!
//! [`dtype`] and [`shape`] describe elements and their layout.
//!
//! # Errors
//!
//! A mistake that is visible at a call, such as shapes that do not match, panics at the caller's
//! line; the `try_` forms return it. A later failure, such as too little memory, marks the arrays
//! that the operation would have written: reading one of them, or calling [`finish`], returns the
//! error with the operation, its line and its UID.
//!
//! Failures that neither a read nor `finish` has returned are printed when the runtime or the
//! process ends. A process that would exit with status 0 then exits with 1 (with glibc only;
//! elsewhere the status stays). Before it exits with status 0, a process completes all pending
//! operations; before any other status, operations that have not started are dropped.
//!
//! If a thread of the runtime panics, which is a defect in Weft, every call and wait returns
//! [`Error::Crashed`]. In a process forked from one with a runtime, every call on that runtime is
//! an error, because a fork has none of its threads. A call with arrays of two runtimes is an
//! error.

mod cuda;
pub mod kernel;
mod library;
mod lower;
#[doc = include_str!("numpy.md")]
pub mod numpy {}
pub mod program;
#[cfg(test)]
mod tests;

#[cfg(feature = "fft")]
pub use program::fft;
#[cfg(feature = "linalg")]
pub use program::linalg;
pub use program::memory::{Batches, batches};
pub use program::random;
pub use program::{
    Array, DynArray, arange, arange_step, column_stack, complex, concatenate, dstack, einsum, eye,
    from_ndarray, from_slice, full, geomspace, hstack, identity, indices, linspace, linspace_open,
    load, load_npz, logspace, meshgrid, ones, save_npz, select, stack, tri, vstack, zeros,
};
pub use weft_config::Plan;
pub use weft_core::cuda::bundle;
pub use weft_core::memory::{MemoryKind, PoolStatus, pool_status, reclaim};
pub use weft_core::runtime::{Runtime, finish, start, start_with};
pub use weft_core::scope::{Annotation, ScopeBuilder, annotate, scope};
pub use weft_core::{Error, define as task, error, runtime, site, words};
pub use weft_kernels::dtype::{self, Complex, f16};
pub use weft_kernels::shape;
pub use weft_macros::{elementwise, task};
