//! Products with matrices.
//!
//! Matrix times vector is limited by memory bandwidth, so Weft's own kernels compute it. Dense rows
//! are read in packs of 16 bytes, four rows at a time, which share the elements of the vector. In
//! other matrices each row is a line that is reduced. The error of an element is at most
//! `(n / 256 + 160) * u * S`, to first order, for dense rows of `n` terms. Otherwise it is that of
//! a sum along an axis with one more `u`; see [`reduce`](super::reduce). cuBLAS computes products
//! of two matrices of floats if it supports their layouts.

mod key;
mod matmul;
mod matvec;

pub(crate) use key::LinearKernelKey;
pub(super) use matmul::matmul;
pub(super) use matvec::MatVec;
