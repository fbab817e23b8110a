//! Kernels for CPUs: loops over one tile.
//!
//! A kernel is a function from strided operands ([`Tile`]) to strided results. It does not depend
//! on operations, tasks or recording, and allocates nothing in its loops. Its results have the same
//! bits for any memory order of the operands, and any vector instructions of the machine. The
//! operations are plain data ([`UnaryOp`], [`BinaryOp`], [`ReduceOp`], [`ScanOp`]), so that other
//! devices can share them.
//!
//! Operands that are written are `&mut Tile`, others `&Tile`. The lifetime of a tile is that of its
//! memory, which outlives every kernel. It is left out of signatures.
//!
//! Kernels do not cast. The caller casts operands to the types of [`UnaryOp::input_dtype`] and
//! similar methods, and broadcasts inputs to the shape of the output. Otherwise a kernel panics
//! before it writes anything.

#![allow(
    elided_lifetimes_in_paths,
    reason = "memory passed to a kernel outlives the call"
)]

pub mod count;
pub mod dtype;
pub mod elementwise;
pub mod exponent;
#[cfg(feature = "linalg")]
pub mod factor;
#[cfg(feature = "fft")]
pub mod fourier;
pub mod generate;
pub mod histogram;
pub mod index;
pub mod interp;
pub mod linear;
mod math;
pub mod member;
mod op;
mod order;
pub mod pack;
mod part;
mod philox;
pub mod random;
pub mod reduce;
pub mod scan;
pub mod search;
pub mod sort;
mod strip;
#[doc(hidden)]
pub mod testing;

pub use elementwise::{BinaryOp, UnaryOp};
pub use op::{ReduceOp, ScanOp};
pub use weft_elements::{Handle, Run, Tile, TileRef, chain, shape};
pub(crate) use weft_elements::{nest, simd};
