//! A kernel on the elements of stores where they lie, without an operation.

#![allow(unsafe_code, reason = "builds the tiles that kernels trust")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::dtype::{Scalar, ScalarBits};
use crate::kernel::{Tile, elementwise, linear, reduce};
use crate::memory::{Maker, Store};
use crate::operation::{Body, Generator};
use crate::runtime::Core;
use crate::shape::{Layout, MAX_DIMS, Shape};

/// What a kernel reads.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
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

/// Runs the kernel of `body` from `inputs` to a view of a store. False where there is none for these, or no memory, or where it panics: an
/// operation then meets the same, and reports it.
///
/// # Safety
/// The layouts lie in their stores, whose operations have all ended, and nobody uses them meanwhile. The inputs have been written. The
/// output's elements are distinct, and are either exactly those of an input, or none of them.
pub(crate) unsafe fn run(
    core: &Core,
    body: &Body,
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
    let mut out = unsafe { Tile::new(data, store.dtype, *layout) };
    let mut bits = [ScalarBits::default(); 3];
    let [first, second, third] = &mut bits;
    let shape = body.is_of_elements().then_some(&layout.shape);
    macro_rules! tile {
        ($input:expr, $bits:expr) => {
            // SAFETY: as the caller promises.
            unsafe { $input.tile(shape, $bits) }?
        };
    }
    let kernel = || {
        match (body, inputs) {
            (Body::Generate(Generator::Fill(value)), []) => elementwise::fill(*value, &mut out),
            (Body::Unary(op), [input]) => elementwise::unary(*op, &tile!(input, first), &mut out),
            (Body::Binary(op), [left, right]) => {
                elementwise::binary(*op, &tile!(left, first), &tile!(right, second), &mut out);
            }
            (Body::Select, [condition, left, right]) => {
                let condition = tile!(condition, first);
                let (left, right) = (tile!(left, second), tile!(right, third));
                elementwise::select(&condition, &left, &right, &mut out);
            }
            (Body::PutMask, [mask, values]) => {
                elementwise::putmask(&tile!(mask, first), &tile!(values, second), &mut out);
            }
            (Body::Cast, [input]) => elementwise::cast(&tile!(input, first), &mut out),
            (Body::Copy, [input]) => elementwise::copy(&tile!(input, first), &mut out),
            (Body::Partial(op), [input]) => reduce::partial(*op, &tile!(input, first), &mut out),
            (Body::Axis { reduce, axis, .. }, [input]) if reduce.is_index() => {
                reduce::axis_index(*reduce, usize::from(*axis), &tile!(input, first), &mut out);
            }
            (Body::Axis { reduce, axis, .. }, [input]) => {
                reduce::axis(*reduce, usize::from(*axis), &tile!(input, first), &mut out);
            }
            (Body::Dot, [left, right]) => {
                linear::dot(&tile!(left, first), &tile!(right, second), &mut out);
            }
            (Body::MatVec { .. }, [matrix, vector]) => {
                linear::matvec(&tile!(matrix, first), &tile!(vector, second), &mut out);
            }
            (Body::MatMul { .. }, [left, right]) => {
                linear::matmul(&tile!(left, first), &tile!(right, second), &mut out);
            }
            _ => return None,
        }
        Some(())
    };
    matches!(catch_unwind(AssertUnwindSafe(kernel)), Ok(Some(())))
}
