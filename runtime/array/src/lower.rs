//! Lowering of checked calls to operations.
//!
//! The input is views, dtypes and single values, and the output is operations of
//! [`library`](crate::library): one, or several that leave partial results and combine them. Each
//! argument by itself was checked before: axes exist, masks are `bool`. This module checks whether
//! operands fit together, and brings them to one shape and one dtype.
//!
//! It does not depend on the types of the interface, and takes the line of the program's call as a
//! [`Site`](weft_core::site::Site).

mod bits;
pub(crate) mod compare;
mod contract;
pub(crate) mod convolve;
pub(crate) mod count;
mod direct;
pub(crate) mod einsum;
mod elementwise;
mod exact;
mod exponent;
#[cfg(feature = "fft")]
pub(crate) mod fourier;
mod gather;
pub(crate) mod generate;
pub(crate) mod histogram;
mod index;
mod input;
mod join;
#[cfg(feature = "linalg")]
mod linalg;
mod mask;
mod matrix;
pub(crate) mod memory;
mod nan;
pub(crate) mod norm;
pub(crate) mod pad;
mod parts;
mod places;
mod pooled;
mod product;
mod quantile;
mod reduce;
mod roll;
mod scan;
mod selected;
mod sets;
mod slope;
mod sort;
mod statistics;
mod symmetric;
mod unique;
mod view;
mod write;

pub(crate) use input::{Input, core_of, scalar_as};
pub(crate) use view::{View, broadcast, checked, wrong};
