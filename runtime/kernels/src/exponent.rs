//! A check that integer exponents are not negative.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::ptr;

use super::Tile;
use crate::dtype::{Scalar, ScalarBits};

/// Returns whether the least of all exponents is not negative, and sets the only element of `zero`
/// to 0. Adding `zero` to the exponents makes a power depend on this check. `least` and `zero` have
/// one element each.
///
/// # Panics
/// Panics if the types differ.
pub fn check(least: &Tile, zero: &mut Tile) -> bool {
    let dtype = least.dtype();
    assert_eq!(dtype, zero.dtype(), "both have the type of the exponents");
    let (mut found, none) = (
        ScalarBits::default(),
        ScalarBits::from_scalar(&Scalar::zero(dtype)),
    );
    // SAFETY: by the promises made for the tiles, which have an element each.
    unsafe {
        ptr::copy_nonoverlapping(least.first(), found.bytes.as_mut_ptr(), dtype.size());
        ptr::copy_nonoverlapping(none.bytes.as_ptr(), zero.first(), dtype.size());
    }
    found.scalar(dtype).integer().is_none_or(|least| least >= 0)
}
