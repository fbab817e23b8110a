//! The operations of the array library, as descriptors. Calls on arrays are lowered to them.
//!
//! Each module is a family of operations: their parameters, their operands and how these follow the
//! tiles, and their kernels for CPUs and GPUs.

mod arithmetic;
pub(crate) mod bits;
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
pub(crate) mod select;
pub(crate) mod sort;

use weft_core::error::Cause;
use weft_kernels::index::OutOfBounds;

/// Returns the failure cause of an index outside of its axis.
fn outside(OutOfBounds { index, length }: OutOfBounds) -> Cause {
    Cause::Index { index, length }
}
