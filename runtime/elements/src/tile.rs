//! The operands of kernels: views of allocations.

#![allow(unsafe_code, reason = "a tile is a promise about memory")]

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::dtype::{DType, Scalar, ScalarBits};
use crate::shape::{Layout, MAX_DIMS, Shape};

/// A view of memory, for its owner. A kernel takes `&mut Tile` to write it and `&Tile` to read it.
///
/// Kernels trust their tiles: the promises are made once, by the caller of the constructor. A tile
/// cannot be copied, so that no call can have the same memory as input and output.
pub struct Tile<'a> {
    data: *mut u8,
    dtype: DType,
    layout: Layout,
    memory: PhantomData<&'a mut u8>,
}

/// A view of memory that is only read: a [`Tile`] that is never lent as `&mut Tile`.
pub struct TileRef<'a>(Tile<'a>);

impl<'a> Tile<'a> {
    /// Creates a view of the allocation at `data`.
    ///
    /// # Safety
    /// While the tile lives:
    /// - `data` must be aligned to `dtype.size()`, up to 8, and every element of `layout` must lie
    ///   inside one live allocation that starts there;
    /// - nothing else may write its elements; if it is lent as `&mut Tile`, nothing else may read
    ///   them, and they must be distinct;
    /// - if it is lent as `&Tile`, its elements must be initialised, and a `bool` must be 0 or 1.
    ///
    /// Of two tiles that are exactly the same view, one may be lent as the output of a kernel whose
    /// documentation allows that, and the other one as an input.
    #[inline]
    pub unsafe fn new(data: *mut u8, dtype: DType, layout: Layout) -> Tile<'a> {
        Tile {
            data,
            dtype,
            layout,
            memory: PhantomData,
        }
    }

    /// Creates a tile of this shape with the value as each element. The value is stored in `bits`.
    ///
    /// # Safety
    /// The tile must only be read, unless it has at most one element.
    #[inline]
    pub unsafe fn from_value(value: &Scalar, bits: &'a mut ScalarBits, shape: Shape) -> Tile<'a> {
        *bits = ScalarBits::from_scalar(value);
        let layout = Layout {
            shape,
            strides: [0; MAX_DIMS],
            offset: 0,
        };
        // SAFETY: every element is the value, which `bits` holds and lends for the lifetime,
        // aligned for any dtype. The rest is the caller's promise.
        unsafe { Tile::new(bits.bytes.as_mut_ptr(), value.dtype(), layout) }
    }

    /// Lends this tile for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> Tile<'_> {
        Tile { ..*self }
    }

    /// Returns the start of the allocation.
    #[inline]
    pub fn data(&self) -> *mut u8 {
        self.data
    }

    /// Returns the type of the elements.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the layout of the elements.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the number of elements along each dimension.
    #[inline]
    pub fn dims(&self) -> &[usize] {
        self.layout.shape.dims()
    }

    /// Returns the address of the first element, which must not be read if the tile is empty.
    #[inline]
    pub fn first(&self) -> *mut u8 {
        self.data
            .wrapping_add(self.layout.offset.wrapping_mul(self.dtype.size()))
    }

    /// Returns the step of dimension `axis` in bytes.
    #[inline]
    pub fn byte_stride(&self, axis: usize) -> isize {
        self.layout.strides[axis].wrapping_mul(self.dtype.size() as isize)
    }
}

impl<'a> TileRef<'a> {
    /// Creates a read-only view of the allocation at `data`.
    ///
    /// # Safety
    /// As for a [`Tile`] that is only lent as `&Tile`.
    #[inline]
    pub unsafe fn new(data: *const u8, dtype: DType, layout: Layout) -> TileRef<'a> {
        // SAFETY: the caller's promise.
        TileRef(unsafe { Tile::new(data.cast_mut(), dtype, layout) })
    }
}

impl<'a> Deref for TileRef<'a> {
    type Target = Tile<'a>;

    #[inline]
    fn deref(&self) -> &Tile<'a> {
        &self.0
    }
}

impl Clone for TileRef<'_> {
    #[inline]
    fn clone(&self) -> Self {
        TileRef(Tile { ..self.0 })
    }
}

impl fmt::Debug for Tile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tile")
            .field("data", &self.data)
            .field("dtype", &self.dtype)
            .field("layout", &self.layout)
            .finish()
    }
}

impl fmt::Debug for TileRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
