//! The operations of the array library, as descriptors: what the calls on arrays are made of.
//!
//! Each module is a family: its parameters, which operands its operations have and how they follow the tiles, and its kernels for CPUs
//! and GPUs.

mod arithmetic;
pub(crate) mod count;
pub(crate) mod elementwise;
pub(crate) mod exponent;
#[cfg(feature = "linalg")]
pub(crate) mod factor;
#[cfg(feature = "fft")]
pub(crate) mod fourier;
pub(crate) mod generate;
pub(crate) mod index;
pub(crate) mod linear;
pub(crate) mod pack;
pub(crate) mod reduce;
pub(crate) mod scan;
pub(crate) mod search;
pub(crate) mod sort;

use weft_core::error::Cause;
use weft_kernels::index::OutOfBounds;

/// An index that lies outside its axis, as the cause of a failure.
fn outside(OutOfBounds { index, length }: OutOfBounds) -> Cause {
    Cause::Index { index, length }
}
