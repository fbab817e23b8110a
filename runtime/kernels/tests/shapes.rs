//! Random shapes for property tests.

use proptest::prelude::*;
use weft_kernels::shape::MAX_DIMS;

/// Generates shapes of any rank, with empty and single dimensions, and some long enough for vector
/// code.
pub(crate) fn dims() -> impl Strategy<Value = Vec<usize>> {
    let small = prop::collection::vec(0usize..4, 0..=5);
    let deep = prop::collection::vec(1usize..3, 0..=MAX_DIMS);
    let long = prop::collection::vec(prop::sample::select(vec![1usize, 2, 7, 16, 37]), 1..=2);
    prop_oneof![small, deep, long]
}
