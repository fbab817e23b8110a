//! Kernels for CPUs: leaf loops over one tile.
//!
//! A kernel is a function from strided operands ([`Tile`]) to strided results. It knows nothing of operations, tasks or
//! recording, allocates nothing in its loops, and gives the same bits whatever the memory order of its operands and
//! whichever vector instructions the machine has. The operations are plain data ([`UnaryOp`], [`BinaryOp`],
//! [`ReduceOp`], [`ScanOp`]), so that other devices can share them.
//!
//! Operands that are written are `&mut Tile`, others `&Tile`. The lifetime of a tile says how long its memory lives, which no kernel
//! outlasts, and is left out of their signatures.
//!
//! Kernels cast nothing: the caller brings operands to the types that [`UnaryOp::input_dtype`] and the like ask for, and
//! broadcasts inputs to the shape of the output. A kernel that is called otherwise panics, before it has written.

#![allow(
    elided_lifetimes_in_paths,
    reason = "what is lent to a kernel lives as long as the call"
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
pub mod index;
pub mod linear;
mod math;
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

pub use op::{BinaryOp, ReduceOp, ScanOp, UnaryOp};
pub use weft_elements::{Handle, Run, Tile, TileRef, chain, shape};
pub(crate) use weft_elements::{nest, simd};
