//! Parts of a tile, for use inside of one kernel.

#![allow(unsafe_code, reason = "makes tiles of the memory of others")]

use crate::Tile;
use crate::shape::{Layout, MAX_DIMS};

/// Tiles of the same memory. The kernel that makes one uses it as it may use the tile itself.
pub(crate) trait Part {
    /// Position 0 of an axis, without that axis. Not to be read where the axis is empty.
    fn without(&self, axis: usize) -> Tile<'_>;

    /// The same memory through another layout, which must lie inside this one.
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
        // SAFETY: the promises made for this tile hold for what lies inside of it, and the kernel keeps them.
        unsafe { Tile::new(self.data(), self.dtype(), layout) }
    }
}
