//! Reductions of whole arrays ([`whole`]), of values as they are computed ([`chained`]), and along
//! one axis ([`lines`]).
//!
//! Blocks of threads fold parts of the terms, and the last block that finishes folds their results.
//! The order does not depend on which block that is, only on shape and steps, so every GPU gives
//! the same bits. They may differ from the CPU's in the last places of floats. Sums of floats are
//! computed in their own type, in many running sums of few terms each, which are joined as trees.
//! The error of a sum of `n` terms is at most `(n / 2^18 + 32) * u * S`, to first order, over a
//! whole array, and `(n / 64 + 160) * u * S` along an axis. `S` is the sum of the magnitudes, and
//! `u` is 2^-53 for `f64` and 2^-24 for `f32`.

pub(crate) mod chained;
mod key;
pub(super) mod lines;
pub(super) mod whole;

pub(crate) use key::ReduceKernelKey;
