//! The operations of elements, sums and scans by name; the CPU kernels themselves are the crate `weft-kernels`.

pub use weft_kernels::{BinaryOp, ReduceOp, ScanOp, UnaryOp};

#[cfg(test)]
pub(crate) use weft_kernels::testing;
pub(crate) use weft_kernels::{
    Tile, TileRef, chain, count, elementwise, factor, fourier, generate, index, linear, pack,
    random, reduce, scan, sort,
};
