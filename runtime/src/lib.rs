//! An array runtime you can see through.
//!
//! A program is written with whole-array operations. The runtime cuts them into tasks over tiles and runs them on CPU
//! workers, while the program goes on; every task carries a UID and the source line that caused it, down to the kernel.
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
//! 1. [`program`]: calls on arrays check shapes and dtypes, and return at once.
//! 2. `operation`: what a call asked for, as plain data, with its UID and line. `weft_geometry` cuts it into tiles.
//! 3. `task`: an operation on one tile. The analysis finds what it must wait for; the ready queue holds it when it waits
//!    for nothing more.
//! 4. [`kernel`]: leaf loops over one tile. `device` runs them; `memory` holds what they work on.
//! 5. `observe`: records into `weft_<rank>.prof`, and NVTX ranges.
//!
//! Below them stand [`dtype`] and [`shape`]: what elements are and where they lie.
//!
//! # Mistakes and failures
//!
//! What is visibly wrong at a call panics at the caller's line; forms with `try_` return it. What fails later poisons
//! the arrays it would have written: reading one, or [`finish`], returns the error with the operation, line and UID.
//!
//! A failure that neither a read nor `finish` has returned is printed when the runtime or the process ends, and a process that would
//! exit with status 0 then exits with 1 (with glibc, which says what the status is; elsewhere it stays). Other statuses stay. Before it
//! exits with status 0, a process completes what it asked for; before any other, what has not begun never runs.
//!
//! Where one of the runtime's own threads panics, which is a defect in Weft, nothing more runs, and every call and wait returns
//! [`Error::Crashed`]. In a process that was forked from one with a runtime, every call on it is an error: a fork has no threads.
//! Arrays of two runtimes in one call are an error at the call.

mod device;
pub mod error;
mod fusion;
mod identity;
pub mod kernel;
mod memory;
mod observe;
mod operation;
pub mod program;
mod rank;
mod recycle;
pub mod runtime;
mod sync;
mod task;

pub use error::Error;
pub use program::memory::{Batches, MemoryKind, PoolStatus, batches, pool_status, reclaim};
pub use program::{
    Array, DynArray, arange, arange_step, column_stack, complex, concatenate, dstack, einsum, eye,
    from_ndarray, from_slice, full, geomspace, hstack, identity, indices, linspace, linspace_open,
    load, load_npz, logspace, meshgrid, ones, save_npz, select, stack, tri, vstack, zeros,
};
pub use program::{fft, linalg, random};
pub use runtime::{Runtime, finish, start, start_with};
pub use weft_config::Plan;
pub use weft_kernels::dtype::{self, Complex, f16};
pub use weft_kernels::shape;
