//! Parts of a tile, for use within one kernel.

#![allow(unsafe_code, reason = "makes tiles of the memory of others")]

use crate::Tile;
use crate::shape::{Layout, MAX_DIMS};

/// Tiles of the same memory. The kernel that creates one may use it as it may use the tile itself.
pub(crate) trait Part {
    /// Returns position 0 of an axis, without that axis. It must not be read if the axis is empty.
    fn without(&self, axis: usize) -> Tile<'_>;

    /// Returns the tile's memory with another layout, which must be inside of this one.
    fn through(&self, layout: Layout) -> Tile<'_>;
}

impl Part for Tile<'_> {
    fn without(&self, axis: usize) -> Tile<'_> {
        let Layout {
            shape,
            mut strides,
            offset,
        } = *self.layout();
        strides.copy_within(axis + 1.., axis);
        strides[MAX_DIMS - 1] = 0;
        self.through(Layout {
            shape: shape.without(axis),
            strides,
            offset,
        })
    }

    fn through(&self, layout: Layout) -> Tile<'_> {
        // SAFETY: the promises made for this tile hold for its parts, and the kernel keeps them.
        unsafe { Tile::new(self.data(), self.dtype(), layout) }
    }
}
