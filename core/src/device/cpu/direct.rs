//! A kernel on the elements of stores where they lie, without an operation.

#![allow(unsafe_code, reason = "builds the tiles that kernels trust")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use smallvec::{SmallVec, smallvec};
use weft_geometry::Cut;

use crate::dtype::{Scalar, ScalarBits};
use crate::memory::{Maker, Store};
use crate::operation::{CpuTask, Descriptor};
use crate::runtime::Core;
use crate::shape::{Layout, MAX_DIMS, Shape};
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
    /// Its tile; `None` where there is no data, or the view does not stretch to `shape`.
    ///
    /// # Safety
    /// The layout lies in its store, nobody writes the store while the tile lives, and it has been written.
    unsafe fn tile<'t>(&self, shape: Option<&Shape>, bits: &'t mut ScalarBits) -> Option<Tile<'t>> {
        match self {
            Input::View(store, layout) => {
                let data = store.data(store.slot())?;
                let layout = match shape {
                    Some(shape) if layout.shape != *shape => layout.broadcast_to(*shape)?,
                    _ => **layout,
                };
                // SAFETY: the instance holds the store's whole shape and is aligned; the rest is the caller's promise.
                Some(unsafe { Tile::new(data, store.dtype, layout) })
            }
            Input::Value(scalar) => {
                *bits = ScalarBits::of(scalar);
                let layout = Layout {
                    shape: *shape?,
                    strides: [0; MAX_DIMS],
                    offset: 0,
                };
                // SAFETY: every element is the value, which is only read.
                Some(unsafe { Tile::new(bits.bytes.as_mut_ptr(), scalar.dtype(), layout) })
            }
        }
    }
}

/// Runs the kernel of an operation over a shape from `inputs` to a view of a store. False where there is none for these, or no memory, or where it panics: an
/// operation then meets the same, and reports it.
///
/// # Safety
/// The layouts lie in their stores, whose operations have all ended, and nobody uses them meanwhile. The inputs have been written. The
/// output's elements are distinct, and are either exactly those of an input, or none of them.
pub(crate) unsafe fn run(
    core: &Core,
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
        None => match store.data_for(slot, maker(), core.recorder.now()) {
            Ok(data) => data,
            Err(_) => return false,
        },
    };
    store.overwrites(layout);
    // SAFETY: as the caller promises; the instance holds the store's whole shape and is aligned.
    let out = unsafe { Tile::new(data, store.dtype, *layout) };
    let mut bits: SmallVec<[ScalarBits; 4]> = smallvec![ScalarBits::default(); inputs.len()];
    let shape = body.is_elementwise().then_some(&layout.shape);
    let mut tiles: SmallVec<[Tile<'_>; 4]> = SmallVec::new();
    for (input, bits) in inputs.iter().zip(&mut bits) {
        // SAFETY: as the caller promises.
        match unsafe { input.tile(shape, bits) } {
            Some(tile) => tiles.push(tile),
            None => return false,
        }
    }
    tiles.push(out);
    let cut = Cut::whole(over);
    let kernel = || {
        let mut task = CpuTask::new(&mut tiles, over, &cut);
        body.kernels.cpu(&mut task)
    };
    matches!(catch_unwind(AssertUnwindSafe(kernel)), Ok(Ok(())))
}
