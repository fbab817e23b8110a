//! Products with matrices.
//!
//! Matrix times vector is limited by memory, so Weft's own kernels do it: rows that lie dense are read in packs of 16
//! bytes, four rows at a time, which share what is read of the vector; of other matrices each row is a line that is
//! reduced. The error of an element is at most `(n / 256 + 160) * u * S`, to first order, for rows of `n` terms that lie
//! dense, and that of a sum along an axis with one more `u` for others; see [`reduce`](super::reduce). Products of two
//! matrices of floats are cuBLAS's where it takes them.

mod key;
mod matmul;
mod matvec;

pub(crate) use key::Key;
pub(super) use matmul::matmul;
pub(super) use matvec::MatVec;
