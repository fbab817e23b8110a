//! An operand of a kernel: a view of an allocation.

#![allow(unsafe_code, reason = "a tile is a promise about memory")]

use crate::dtype::DType;
use crate::shape::{Layout, MAX_DIMS};

/// A view of memory that a kernel reads or writes; which of both, its place in the kernel's signature says.
///
/// A kernel trusts its tiles. The promise is made once, where a tile is built.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    data: *mut u8,
    dtype: DType,
    layout: Layout,
}

impl Tile {
    /// A view of the allocation at `data`.
    ///
    /// # Safety
    /// As long as kernels use the tile:
    /// - `data` is aligned to `dtype.size()`, up to 8, and every element of `layout` lies inside one live allocation starting
    ///   there;
    /// - no other thread writes elements the kernel reads, nor reads or writes elements it writes;
    /// - where the kernel reads, elements are initialised, and a `bool` is 0 or 1;
    /// - where the kernel writes, the elements of the layout are distinct, and none is an element of another operand,
    ///   except where the kernel allows the output to be exactly the view of an input.
    pub unsafe fn new(data: *mut u8, dtype: DType, layout: Layout) -> Tile {
        Tile {
            data,
            dtype,
            layout,
        }
    }

    /// The start of the allocation.
    pub fn data(&self) -> *mut u8 {
        self.data
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Where the elements lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The number of elements along each dimension.
    pub fn dims(&self) -> &[usize] {
        self.layout.shape.dims()
    }

    /// The address of the first element. Not to be read where the tile is empty.
    pub fn first(&self) -> *mut u8 {
        self.data
            .wrapping_add(self.layout.offset.wrapping_mul(self.dtype.size()))
    }

    /// Position 0 of an axis, without that axis. Not to be read where the axis is empty.
    pub(super) fn without(&self, axis: usize) -> Tile {
        let mut strides = self.layout.strides;
        strides.copy_within(axis + 1.., axis);
        strides[MAX_DIMS - 1] = 0;
        let layout = Layout {
            shape: self.layout.shape.without(axis),
            strides,
            offset: self.layout.offset,
        };
        Tile { layout, ..*self }
    }

    /// The step of dimension `axis`, in bytes.
    pub fn byte_stride(&self, axis: usize) -> isize {
        self.layout.strides[axis].wrapping_mul(self.dtype.size() as isize)
    }
}
