//! Stacks of matrices in tiles, as kernels of [`weft_numeric`] take them.

#![allow(unsafe_code, reason = "reads and writes the memory of tiles")]

use std::marker::PhantomData;
use std::ptr::NonNull;

use weft_numeric::{MatMut, MatRef};

use crate::Tile;
use crate::dtype::Element;
use crate::shape::Shape;

/// A tile as a stack of matrices, all of one shape.
pub(super) struct Stack<'a, T> {
    tile: &'a Tile<'a>,
    /// The axes of the stack, before those of a matrix.
    stack: Shape,
    rows: usize,
    columns: usize,
    /// Elements from one row to the next, and from one column to the next.
    strides: [isize; 2],
    element: PhantomData<T>,
}

impl<'a, T: Element> Stack<'a, T> {
    /// The last two axes are a matrix.
    pub(super) fn matrices(tile: &'a Tile<'a>) -> Stack<'a, T> {
        Stack::of(tile, 2)
    }

    /// The last axis is a matrix of one column.
    pub(super) fn columns(tile: &'a Tile<'a>) -> Stack<'a, T> {
        Stack::of(tile, 1)
    }

    /// Each element is a matrix of one element.
    pub(super) fn values(tile: &'a Tile<'a>) -> Stack<'a, T> {
        Stack::of(tile, 0)
    }

    fn of(tile: &'a Tile<'a>, axes: usize) -> Stack<'a, T> {
        assert_eq!(tile.dtype(), T::DTYPE, "an operand has another dtype");
        let rank = tile.dims().len();
        assert!(rank >= axes, "an operand has {rank} axes");
        let (stack, matrix) = tile.dims().split_at(rank - axes);
        let strides = &tile.layout().strides[rank - axes..rank];
        let at = |axis: usize| (matrix.get(axis).copied(), strides.get(axis).copied());
        let ((rows, row_step), (columns, column_step)) = (at(0), at(1));
        Stack {
            tile,
            stack: Shape::new(stack).unwrap_or(Shape::SCALAR),
            rows: rows.unwrap_or(1),
            columns: columns.unwrap_or(1),
            strides: [row_step.unwrap_or(1), column_step.unwrap_or(1)],
            element: PhantomData,
        }
    }

    /// How many matrices there are.
    pub(super) fn len(&self) -> usize {
        self.stack.len()
    }

    /// Address of the first element of matrix `at`; aligned and not null, but nobody's, where the matrix is empty.
    fn first(&self, at: usize) -> *mut T {
        if self.rows == 0 || self.columns == 0 {
            return NonNull::dangling().as_ptr();
        }
        assert!(at < self.len(), "there are {} matrices", self.len());
        let index = self.stack.unravel(at);
        let steps =
            (0..self.stack.rank()).map(|axis| index[axis] as isize * self.tile.byte_stride(axis));
        self.tile.first().wrapping_offset(steps.sum()).cast()
    }

    /// Matrix `at`, to be read.
    pub(super) fn get(&self, at: usize) -> MatRef<'a, T> {
        let [rows, columns] = self.strides;
        // SAFETY: every element is one of the tile's layout, which whoever built the tile vouches for: it is there, of this
        // type, initialised, and nobody writes it meanwhile.
        unsafe { MatRef::from_raw_parts(self.first(at), self.rows, self.columns, rows, columns) }
    }

    /// Matrix `at`, to be written.
    pub(super) fn get_mut(&self, at: usize) -> MatMut<'a, T> {
        let [rows, columns] = self.strides;
        // SAFETY: as above; the elements of a tile that a kernel writes are distinct, and nobody reads or writes them
        // meanwhile. Each kernel asks once for each matrix.
        unsafe {
            MatMut::from_raw_parts_mut(self.first(at), self.rows, self.columns, rows, columns)
        }
    }

    /// Sets the only element of matrix `at`.
    pub(super) fn set(&self, at: usize, value: T) {
        // SAFETY: as above; nothing is dropped, and all of a stack of values have one element.
        unsafe { self.first(at).write(value) };
    }
}
