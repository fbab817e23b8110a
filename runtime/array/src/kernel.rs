//! The names of elementwise operations, reductions and scans. The CPU kernels are in the crate
//! `weft-kernels`.

pub(crate) use weft_kernels::Tile;
pub use weft_kernels::count::AxisOrder;
pub use weft_kernels::elementwise::{binary_of_one, unary_of_one};
pub use weft_kernels::pack::BitOrder;
pub use weft_kernels::{BinaryOp, ReduceOp, ScanOp, UnaryOp};

#[cfg(feature = "linalg")]
pub(crate) use weft_kernels::factor;
#[cfg(feature = "fft")]
pub(crate) use weft_kernels::fourier;
#[cfg(test)]
pub(crate) use weft_kernels::testing;
pub(crate) use weft_kernels::{
    chain, count, elementwise, exponent, generate, histogram, index, interp, linear, member, pack,
    random, reduce, scan, search, sort,
};
