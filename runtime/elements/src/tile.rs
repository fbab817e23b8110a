//! An operand of a kernel: a view of an allocation.

#![allow(unsafe_code, reason = "a tile is a promise about memory")]

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::dtype::{DType, Scalar, ScalarBits};
use crate::shape::{Layout, MAX_DIMS, Shape};

/// A view of memory that belongs to whoever has it. A kernel that writes it takes `&mut Tile`, one that reads it `&Tile`.
///
/// A kernel trusts its tiles. The promise is made once, where a tile is built; a tile cannot be copied, so that no call can name the same
/// memory as input and output.
pub struct Tile<'a> {
    data: *mut u8,
    dtype: DType,
    layout: Layout,
    memory: PhantomData<&'a mut u8>,
}

/// A view of memory that is only read: a [`Tile`] that nobody gets as `&mut Tile`.
pub struct TileRef<'a>(Tile<'a>);

impl<'a> Tile<'a> {
    /// A view of the allocation at `data`.
    ///
    /// # Safety
    /// As long as the tile lives:
    /// - `data` is aligned to `dtype.size()`, up to 8, and every element of `layout` lies inside one live allocation starting
    ///   there;
    /// - nobody else writes its elements; and if it is lent as `&mut Tile`, nobody else reads them, and they are distinct;
    /// - if it is lent as `&Tile`, its elements are initialised, and a `bool` is 0 or 1.
    ///
    /// Of two tiles that are exactly the same view, one may be lent as the output of a kernel whose documentation allows that,
    /// with the other one as an input.
    #[inline]
    pub unsafe fn new(data: *mut u8, dtype: DType, layout: Layout) -> Tile<'a> {
        Tile {
            data,
            dtype,
            layout,
            memory: PhantomData,
        }
    }

    /// A tile of this shape each of whose elements is the value, which is kept in `bits`.
    ///
    /// # Safety
    /// It is only read, unless it has no more than one element.
    #[inline]
    pub unsafe fn of_value(value: &Scalar, bits: &'a mut ScalarBits, shape: Shape) -> Tile<'a> {
        *bits = ScalarBits::of(value);
        let layout = Layout {
            shape,
            strides: [0; MAX_DIMS],
            offset: 0,
        };
        // SAFETY: every element is the value, which `bits` holds and lends for as long, aligned for any dtype; the rest is the caller's
        // promise.
        unsafe { Tile::new(bits.bytes.as_mut_ptr(), value.dtype(), layout) }
    }

    /// The same tile, for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> Tile<'_> {
        Tile { ..*self }
    }

    /// The start of the allocation.
    #[inline]
    pub fn data(&self) -> *mut u8 {
        self.data
    }

    /// The type of the elements.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Where the elements lie.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The number of elements along each dimension.
    #[inline]
    pub fn dims(&self) -> &[usize] {
        self.layout.shape.dims()
    }

    /// The address of the first element. Not to be read where the tile is empty.
    #[inline]
    pub fn first(&self) -> *mut u8 {
        self.data
            .wrapping_add(self.layout.offset.wrapping_mul(self.dtype.size()))
    }

    /// The step of dimension `axis`, in bytes.
    #[inline]
    pub fn byte_stride(&self, axis: usize) -> isize {
        self.layout.strides[axis].wrapping_mul(self.dtype.size() as isize)
    }
}

impl<'a> TileRef<'a> {
    /// A view of the allocation at `data`.
    ///
    /// # Safety
    /// As for a [`Tile`] that is lent as `&Tile` alone.
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
