//! A kernel on the elements of stores where they lie, without an operation.

#![allow(unsafe_code, reason = "builds the tiles that kernels trust")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use smallvec::{SmallVec, smallvec};
use weft_geometry::Cut;

use crate::dtype::{Scalar, ScalarBits};
use crate::memory::{Maker, Store};
use crate::observe::Recorder;
use crate::operation::{CpuTask, Descriptor};
use crate::shape::{Layout, Shape};
use weft_elements::Tile;

/// What a kernel reads.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// A view of a store.
    View(&'a Store, &'a Layout),
    /// One value for every element.
    Value(Scalar),
}

impl Input<'_> {
    /// Adds its tile; false where there is no data, or the view does not stretch to `shape`.
    ///
    /// # Safety
    /// The layout lies in its store, nobody writes the store while the tile lives, and it has been written.
    #[inline]
    unsafe fn add_to<'t>(
        &self,
        tiles: &mut SmallVec<[Tile<'t>; 4]>,
        shape: Option<&Shape>,
        bits: &'t mut ScalarBits,
    ) -> bool {
        match self {
            Input::View(store, layout) => {
                let Some(data) = store.data(store.slot()) else {
                    return false;
                };
                let stretched = match shape {
                    Some(shape) if layout.shape != *shape => match layout.broadcast_to(*shape) {
                        Some(layout) => &{ layout },
                        None => return false,
                    },
                    _ => *layout,
                };
                // SAFETY: the instance holds the store's whole shape and is aligned; the rest is the caller's promise.
                tiles.push(unsafe { Tile::new(data, store.dtype, *stretched) });
            }
            Input::Value(scalar) => {
                let Some(shape) = shape else {
                    return false;
                };
                // SAFETY: an input is only read.
                tiles.push(unsafe { Tile::of_value(scalar, bits, *shape) });
            }
        }
        true
    }
}

/// Runs the kernel of an operation over a shape from `inputs` to a view of a store. False where there is none for these, or no memory, or where it panics: an
/// operation then meets the same, and reports it.
///
/// # Safety
/// The layouts lie in their stores, whose operations have all ended, and nobody uses them meanwhile. The inputs have been written. The
/// output's elements are distinct, and are either exactly those of an input, or none of them.
pub(crate) unsafe fn run(
    recorder: &Recorder,
    body: &Descriptor,
    over: &Shape,
    inputs: &[Input<'_>],
    (store, layout): (&Store, &Layout),
    maker: impl FnOnce() -> Maker,
) -> bool {
    let slot = store.slot();
    let data = match store.data(slot) {
        Some(data) => data,
        None if store.is_in_parts() => return false,
        None => match store.data_for(slot, maker(), recorder.now()) {
            Ok(data) => data,
            Err(_) => return false,
        },
    };
    store.overwrites(layout);
    let mut bits: SmallVec<[ScalarBits; 4]> = smallvec![ScalarBits::default(); inputs.len()];
    let shape = body.is_elementwise().then_some(&layout.shape);
    let mut tiles: SmallVec<[Tile<'_>; 4]> = SmallVec::new();
    for (input, bits) in inputs.iter().zip(&mut bits) {
        // SAFETY: as the caller promises.
        if !unsafe { input.add_to(&mut tiles, shape, bits) } {
            return false;
        }
    }
    // SAFETY: as the caller promises; the instance holds the store's whole shape and is aligned.
    tiles.push(unsafe { Tile::new(data, store.dtype, *layout) });
    let cut = Cut::whole(over);
    let kernel = || {
        let mut task = CpuTask::new(&mut tiles, over, &cut);
        body.kernels.cpu(&mut task)
    };
    matches!(catch_unwind(AssertUnwindSafe(kernel)), Ok(Ok(())))
}
