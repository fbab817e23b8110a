//! Scratch memory, and dense stacks of matrices in it.

use super::start;
use crate::cuda::DeviceTile;
use crate::shape::Layout;
use weft_core::cuda::{Address, WORKSPACE_ALIGNMENT, Work, copy};

/// The alignment of all scratch memory, in bytes.
const ALIGNMENT: u64 = WORKSPACE_ALIGNMENT as u64;

/// The order of a dense matrix's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Rows,
    Columns,
}

/// Scratch memory starting at an address.
#[derive(Debug)]
pub(super) struct Room {
    start: Address,
    end: Address,
}

impl Room {
    pub(super) fn new(start: Address) -> Room {
        Room { start, end: start }
    }

    /// Takes this many bytes.
    pub(super) fn take(&mut self, bytes: usize) -> Address {
        let taken = self.end;
        self.end += (bytes as u64).next_multiple_of(ALIGNMENT);
        taken
    }

    /// Returns the number of bytes taken so far.
    pub(super) fn bytes(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns the address after all memory that is taken, where workspaces of routines begin.
    pub(super) fn workspace(&self) -> Address {
        self.end
    }

    /// Takes memory for a dense copy of a stack whose last `axes` axes are a matrix, a vector or a
    /// single value. The work copies it.
    pub(super) fn copy_in(
        &mut self,
        tile: &DeviceTile,
        axes: usize,
        order: Order,
    ) -> (Address, Option<Work>) {
        let to = self.take(tile.layout.shape.len() * tile.dtype.size());
        (to, Room::copy_to(tile, to, axes, order))
    }

    /// Returns the work that copies a stack to a dense one at an address.
    pub(super) fn copy_to(
        tile: &DeviceTile,
        to: Address,
        axes: usize,
        order: Order,
    ) -> Option<Work> {
        copy(tile, &dense(tile, axes, order, to, elements(tile, axes)))
    }

    /// Returns a dense stack for an output: the output itself if it is dense, otherwise memory that
    /// the work copies from.
    pub(super) fn copy_out(
        &mut self,
        tile: &DeviceTile,
        axes: usize,
        order: Order,
    ) -> (Address, Option<Work>) {
        let own = dense(tile, axes, order, start(tile), elements(tile, axes));
        if is_alike(&own.layout, &tile.layout) {
            return (own.start, None);
        }
        let from = self.take(tile.layout.shape.len() * tile.dtype.size());
        let dense = dense(tile, axes, order, from, elements(tile, axes));
        (from, copy(&dense, tile))
    }
}

/// Whether every element has the same distance from the first in both layouts.
fn is_alike(one: &Layout, other: &Layout) -> bool {
    let steps = one.strides().iter().zip(other.strides());
    let mut axes = one.shape.dims().iter().zip(steps);
    one.shape == other.shape && axes.all(|(&count, (one, other))| count <= 1 || one == other)
}

/// Returns the number of elements of one matrix of a stack.
fn elements(tile: &DeviceTile, axes: usize) -> usize {
    let dims = tile.layout.shape.dims();
    dims[dims.len() - axes..].iter().product()
}

/// Returns a stack of a tile's shape at an address. Each matrix is dense; consecutive ones are
/// `each` elements apart.
pub(super) fn dense(
    tile: &DeviceTile,
    axes: usize,
    order: Order,
    at: Address,
    each: usize,
) -> DeviceTile {
    let mut layout = Layout::contiguous(tile.layout.shape);
    let dims = tile.layout.shape.dims();
    let matrices = dims.len() - axes;
    let mut step = each;
    for axis in (0..matrices).rev() {
        layout.strides[axis] = step as isize;
        step *= dims[axis];
    }
    if axes == 2 && order == Order::Columns {
        layout.strides[matrices] = 1;
        layout.strides[matrices + 1] = dims[matrices] as isize;
    }
    DeviceTile {
        start: at,
        dtype: tile.dtype,
        layout,
    }
}
