//! Stacks of matrices in tiles, for the kernels of [`weft_numeric`].

#![allow(unsafe_code, reason = "reads and writes the memory of tiles")]

use std::marker::PhantomData;
use std::ptr::NonNull;

use weft_numeric::{MatMut, MatRef};

use crate::Tile;
use crate::dtype::Element;
use crate::shape::Shape;

/// A tile as a stack of matrices of one shape.
pub(super) struct Stack<'a, T> {
    tile: &'a Tile<'a>,
    /// The axes of the stack, before those of a matrix.
    stack: Shape,
    rows: usize,
    columns: usize,
    /// The step from one row to the next, and from one column to the next, in elements.
    strides: [isize; 2],
    element: PhantomData<T>,
}

impl<'a, T: Element> Stack<'a, T> {
    /// Creates a stack from a tile whose last two axes are a matrix.
    pub(super) fn matrices(tile: &'a Tile<'a>) -> Stack<'a, T> {
        Stack::new(tile, 2)
    }

    /// Creates a stack from a tile whose last axis is a matrix of one column.
    pub(super) fn columns(tile: &'a Tile<'a>) -> Stack<'a, T> {
        Stack::new(tile, 1)
    }

    /// Creates a stack from a tile whose elements are matrices of one element.
    pub(super) fn values(tile: &'a Tile<'a>) -> Stack<'a, T> {
        Stack::new(tile, 0)
    }

    fn new(tile: &'a Tile<'a>, axes: usize) -> Stack<'a, T> {
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

    /// Returns the number of matrices.
    pub(super) fn len(&self) -> usize {
        self.stack.len()
    }

    /// Returns the address of the first element of matrix `at`. If the matrix is empty, the address
    /// is aligned and not null, but dangling.
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

    /// Returns matrix `at` for reading.
    pub(super) fn get(&self, at: usize) -> MatRef<'a, T> {
        let [rows, columns] = self.strides;
        // SAFETY: every element is one of the tile's layout. By the promises of the tile's creator,
        // it is in memory, has this type, is initialised, and is not written meanwhile.
        unsafe { MatRef::from_raw_parts(self.first(at), self.rows, self.columns, rows, columns) }
    }

    /// Returns matrix `at` for writing.
    pub(super) fn get_mut(&self, at: usize) -> MatMut<'a, T> {
        let [rows, columns] = self.strides;
        // SAFETY: as above. The elements of a tile that a kernel writes are distinct, and nothing
        // else reads or writes them meanwhile. Each kernel calls this once for each matrix.
        unsafe {
            MatMut::from_raw_parts_mut(self.first(at), self.rows, self.columns, rows, columns)
        }
    }

    /// Sets the only element of matrix `at`.
    pub(super) fn set(&self, at: usize, value: T) {
        // SAFETY: as above. Nothing is dropped, and each matrix of such a stack has one element.
        unsafe { self.first(at).write(value) };
    }
}
