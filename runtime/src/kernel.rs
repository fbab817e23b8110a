//! Names of elementwise operations, reductions and scans. The CPU kernels are in the crate `weft-kernels`.

pub use weft_kernels::elementwise::{binary_of_one, unary_of_one};
pub use weft_kernels::{BinaryOp, ReduceOp, ScanOp, UnaryOp};

#[cfg(test)]
pub(crate) use weft_kernels::testing;
pub(crate) use weft_kernels::{
    Tile, TileRef, chain, count, elementwise, factor, fourier, generate, index, linear, pack, peak,
    random, reduce, scan, search, sort,
};
