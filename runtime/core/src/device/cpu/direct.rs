//! Kernels that run directly on the elements of stores, without an operation.

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

/// An input of a kernel.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// A view of a store.
    View(&'a Store, &'a Layout),
    /// One value that stands for every element.
    Value(Scalar),
}

impl Input<'_> {
    /// Adds the tile of this input. Returns false if it has no data, or if its view cannot be
    /// broadcast to `shape`.
    ///
    /// # Safety
    /// The layout must lie in its store. The store must have been written, and must not be written
    /// while the tile lives.
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
                // SAFETY: the instance holds the store's whole shape and is aligned; the caller
                // guarantees the rest.
                tiles.push(unsafe { Tile::new(data, store.dtype, *stretched) });
            }
            Input::Value(scalar) => {
                let Some(shape) = shape else {
                    return false;
                };
                // SAFETY: an input is only read.
                tiles.push(unsafe { Tile::from_value(scalar, bits, *shape) });
            }
        }
        true
    }
}

/// Runs the kernel of an operation over a shape, from `inputs` to a view of a store. Returns false
/// if there is no kernel for these inputs, no memory, or if the kernel panics. An operation then
/// meets the same error and reports it.
///
/// # Safety
/// The layouts must lie in their stores. All operations on these stores must have ended, and no
/// other thread may use them during the call. The inputs must have been written. The output's
/// elements must be distinct, and must be either exactly those of an input, or none of them.
pub(crate) unsafe fn run(
    recorder: &Recorder,
    body: &Descriptor,
    over: &Shape,
    inputs: &[Input<'_>],
    out: (&Store, &Layout),
    maker: impl FnOnce() -> Maker,
) -> bool {
    let stretched = body.is_elementwise().then_some(&out.1.shape);
    let kernel = |tiles: &mut [Tile<'_>]| {
        let cut = Cut::whole(over);
        let mut task = CpuTask::new(tiles, over, &cut);
        body.kernels.cpu(&mut task).is_ok()
    };
    // SAFETY: the caller's promise.
    unsafe { write(recorder, stretched, inputs, out, maker, kernel) }
}

/// Calls `kernel` with the tiles of `inputs`, broadcast to `stretched` if given, and then that of a
/// view of a store. Returns the kernel's result, or false in the cases that [`run`] lists.
///
/// # Safety
/// As for [`run`].
pub(crate) unsafe fn write(
    recorder: &Recorder,
    stretched: Option<&Shape>,
    inputs: &[Input<'_>],
    (store, layout): (&Store, &Layout),
    maker: impl FnOnce() -> Maker,
    kernel: impl FnOnce(&mut [Tile<'_>]) -> bool,
) -> bool {
    let slot = store.slot();
    let data = match store.data(slot) {
        Some(data) => data,
        None if store.is_in_parts() => return false,
        None => match store.small_data(slot) {
            Some(data) => data,
            None => match store.data_for(slot, maker(), recorder.now()) {
                Ok(data) => data,
                Err(_) => return false,
            },
        },
    };
    store.overwrites(layout);
    let mut bits: SmallVec<[ScalarBits; 4]> = smallvec![ScalarBits::default(); inputs.len()];
    let mut tiles: SmallVec<[Tile<'_>; 4]> = SmallVec::new();
    for (input, bits) in inputs.iter().zip(&mut bits) {
        // SAFETY: as the caller guarantees.
        if !unsafe { input.add_to(&mut tiles, stretched, bits) } {
            return false;
        }
    }
    // SAFETY: as the caller guarantees; the instance holds the store's whole shape and is aligned.
    tiles.push(unsafe { Tile::new(data, store.dtype, *layout) });
    catch_unwind(AssertUnwindSafe(|| kernel(&mut tiles))).unwrap_or(false)
}

/// Calls `kernel` with the tile of a view. Returns `None` if its store has no memory or the kernel
/// panics.
///
/// # Safety
/// The layout lies in the store. The store has been written, its operations have ended, and nothing
/// writes it meanwhile.
pub(crate) unsafe fn read<R>(
    (store, layout): (&Store, &Layout),
    kernel: impl FnOnce(&Tile<'_>) -> R,
) -> Option<R> {
    let data = store.data(store.slot())?;
    // SAFETY: as the caller promises; the instance holds the store's whole shape and is aligned.
    let tile = unsafe { Tile::new(data, store.dtype, *layout) };
    catch_unwind(AssertUnwindSafe(|| kernel(&tile))).ok()
}
