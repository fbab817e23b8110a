//! Exponents of integers, which must not be below 0.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::ptr;

use super::Tile;
use crate::dtype::{Scalar, ScalarBits};

/// Whether the least of all exponents is 0 or above. `zero`, of one element as `least` is, becomes 0: a power of exponents to which it is
/// added depends on what is found here.
///
/// # Panics
/// If the types differ.
pub fn check(least: &Tile, zero: &mut Tile) -> bool {
    let dtype = least.dtype();
    assert_eq!(dtype, zero.dtype(), "both have the type of the exponents");
    let (mut found, none) = (ScalarBits::default(), ScalarBits::of(&Scalar::zero(dtype)));
    // SAFETY: by the promises made for the tiles, which have an element each.
    unsafe {
        ptr::copy_nonoverlapping(least.first(), found.bytes.as_mut_ptr(), dtype.size());
        ptr::copy_nonoverlapping(none.bytes.as_ptr(), zero.first(), dtype.size());
    }
    found.scalar(dtype).integer().is_none_or(|least| least >= 0)
}
