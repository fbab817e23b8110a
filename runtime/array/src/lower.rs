//! From checked calls to operations.
//!
//! A call comes here with views, dtypes and single values, and leaves as operations of [`library`](crate::library): one, or several that
//! leave partial results and combine them. What concerns one argument by itself has been checked: axes exist, masks are `bool`. Whether
//! operands fit together is found here, where one shape and one dtype are made of theirs.
//!
//! What is here does not know the types of the interface, and takes the line of the program's call as a
//! [`Site`](weft_core::site::Site).

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
mod product;
mod quantile;
mod reduce;
mod scan;
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
