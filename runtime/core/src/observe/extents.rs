//! Shapes in records.

use smallvec::SmallVec;

use crate::shape::{MAX_DIMS, Shape};

/// Returns the extents of a shape for a record. A loop, because collecting an iterator is slower
/// for small operations.
#[inline]
pub(crate) fn extents(shape: &Shape) -> SmallVec<[u64; MAX_DIMS]> {
    let mut extents = SmallVec::new();
    for extent in shape.dims() {
        extents.push(*extent as u64);
    }
    extents
}
