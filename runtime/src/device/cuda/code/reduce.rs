//! Reductions: of whole arrays ([`whole`]), and along one axis ([`lines`]).
//!
//! Blocks of threads fold parts of the terms, and what they found is folded again, in an order that depends on shape and
//! steps alone: every GPU gives the same bits, which may differ from the CPU's in the last places of floats. Sums of
//! floats are made in their own type: a thread has 8 running sums, each of `n / (256 * 8 * blocks)` terms, and all else
//! is a tree, so that the error is at most `(n / 2^21 + 32) * u * S`, to first order, for the `n` terms of a long array,
//! and `(64 + 32) * u * S` or less for those of a short one.

mod key;
pub(super) mod lines;
pub(super) mod whole;

pub(crate) use key::Key;
