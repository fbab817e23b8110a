//! Copies of elements, and blocks over all elements of tiles.

#![allow(unsafe_code, reason = "loops over operands by their addresses")]

use crate::chain::{Block, copy_block};
use crate::dtype::{Scalar, ScalarBits};
use crate::nest::Nest;
use crate::shape::{Layout, MAX_DIMS};
use crate::{Run, Tile, TileRef};

/// Copies `input` to `out`, bit by bit. The output may be exactly the view of the input; otherwise
/// it must share no element with it.
///
/// # Panics
/// Panics unless the shapes and dtypes are equal.
pub fn copy_elements(input: &Tile, out: &mut Tile) {
    assert_eq!(input.dtype(), out.dtype(), "a copy keeps the type");
    let block = copy_block(out.dtype());
    // SAFETY: the tiles have elements of that size, and are exactly one view or disjoint, by their
    // promises.
    unsafe { over([input, out], block) };
}

/// Runs a block over every run of the tiles.
///
/// # Safety
/// The block must be for the dtypes of the tiles, whose promises must hold.
///
/// # Panics
/// Panics if the tiles differ in shape.
pub unsafe fn over<const N: usize>(tiles: [&Tile; N], block: Block<N>) {
    // Small operations are mostly on dense vectors, and building a nest of loops takes longer than
    // adding them.
    if let Some(run) = dense(tiles) {
        // SAFETY: by the promises of the tiles; the run is all of them.
        return unsafe { block(run) };
    }
    // SAFETY: by the promises of the tiles; a run stays inside them.
    Nest::new(tiles).for_each_run(&mut |run| unsafe { block(run) });
}

/// Returns dense vectors of one length as one run.
fn dense<const N: usize>(tiles: [&Tile; N]) -> Option<Run<N>> {
    let [count] = *tiles[N - 1].dims() else {
        return None;
    };
    let is_dense = |tile: &&Tile| tile.dims() == [count] && tile.layout().strides[0] == 1;
    if count == 0 || !tiles.iter().all(is_dense) {
        return None;
    }
    Some(Run {
        at: tiles.map(|tile| tile.first()),
        steps: tiles.map(|tile| tile.dtype().size() as isize),
        count,
    })
}

/// Sets all elements of `out` to `value`, cast to the dtype of `out`.
pub fn fill_elements(value: Scalar, out: &mut Tile) {
    let value = value.cast(out.dtype());
    let bits = ScalarBits::from_scalar(&value);
    let layout = Layout {
        shape: out.layout().shape,
        strides: [0; MAX_DIMS],
        offset: 0,
    };
    // SAFETY: every element of the tile is the value, which lives as long as the call and is only
    // read.
    let from = unsafe { TileRef::new(bits.bytes.as_ptr(), value.dtype(), layout) };
    copy_elements(&from, out);
}
