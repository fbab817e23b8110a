//! The core of Weft: it runs operations that libraries describe, and contains no array function
//! itself.
//!
//! A library declares its operations as [`Descriptor`](operation::Descriptor)s: a name, operands as
//! an access and a [`Projection`](weft_geometry::Projection), a tiling, fusion rules, and kernels
//! by kind of processor. The core cuts them into tasks, finds their dependences, exchanges elements
//! between ranks, runs kernels on CPUs and GPUs, and records all of it. The array library `weft` is
//! its first client, through the same interface as any other.
//!
//! # The path of data
//!
//! 1. [`operation`]: the request of a call, as plain data with a UID and a source line.
//!    `weft_geometry` divides it into tiles.
//! 2. `fusion`: operations that run as one kernel.
//! 3. `task`: an operation on one tile. The analysis finds its predecessors; it enters the ready
//!    queue when they have finished.
//! 4. `device` runs kernels; [`memory`] holds their operands.
//! 5. `observe`: records in `weft_<rank>.prof`, and NVTX ranges.

mod at_exit;
pub mod cuda;
pub mod define;
mod device;
pub mod error;
mod fusion;
mod health;
mod identity;
pub mod memory;
pub mod observe;
pub mod operation;
mod rank;
mod recycle;
pub mod runtime;
mod say;
pub mod scope;
pub mod site;
mod sync;
mod task;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testing;
mod traffic;
pub mod words;

pub use error::Error;
pub use runtime::Runtime;
pub use weft_config::Plan;
pub use weft_elements::{Handle, Tile, TileRef};
pub use weft_elements::{chain, dtype, shape};
