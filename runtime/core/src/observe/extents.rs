//! Shapes in records.

use smallvec::SmallVec;

use crate::shape::{MAX_DIMS, Shape};

/// The extents of a shape, as records have them. A loop: small operations are recorded faster so than by collecting an iterator.
#[inline]
pub(crate) fn extents(shape: &Shape) -> SmallVec<[u64; MAX_DIMS]> {
    let mut extents = SmallVec::new();
    for extent in shape.dims() {
        extents.push(*extent as u64);
    }
    extents
}
