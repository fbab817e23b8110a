//! Images: which part of an array a tile gets, found in the values of another array.

#![allow(unsafe_code, reason = "reads elements by their addresses")]

use std::sync::{Arc, Mutex, PoisonError, Weak};

use weft_elements::nest::Nest;
use weft_elements::{Handle, Run, Tile};
use weft_geometry::{Along, Projection, Rest, Tiling};
use weft_trace::id::StoreUid;

use super::argument::StoreView;
use crate::dtype::{DType, Element, with_integer};
use crate::error::{Cause, Error};
use crate::operation::{Body, CpuTask, Declared, Descriptor, Kernels, Request};
use crate::runtime::Core;
use crate::shape::{Layout, Shape};
use crate::site::Site;

/// What the values are through which a tile's part is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Names {
    /// Pairs along the last axis: the first index, and one past the last.
    Ranges,
    /// Where the range of an index begins; it ends where that of the next one begins. There is one more of them than indices, which a halo of
    /// one above gives to the tiles.
    Offsets,
    /// Indices.
    Coordinates,
}

/// Finds the lowest and the highest index that a tile names.
#[derive(Debug, Hash)]
struct FindImage {
    names: Names,
}

impl Kernels for FindImage {
    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [through, out] = task.expect();
        let (low, high) =
            with_integer!(through.dtype(), T => bounds::<T>(self.names, through), else (0, 0));
        // A row of two, or of one tile without the axis of rows.
        for (at, value) in [low, high].into_iter().enumerate() {
            let step = out.byte_stride(out.layout().rank() - 1);
            let place = out.first().wrapping_offset(step * at as isize);
            // SAFETY: the row has two elements of `i64`.
            unsafe { place.cast::<i64>().write(value) };
        }
        Ok(())
    }
}

/// The lowest index and one past the highest; both 0 where none is named.
fn bounds<T: Element>(names: Names, through: &Tile<'_>) -> (i64, i64) {
    let mut found: Option<(i64, i64)> = None;
    let mut add = |first: i64, end: i64| {
        if first < end {
            let (low, high) = found.unwrap_or((first, end));
            found = Some((low.min(first), high.max(end)));
        }
    };
    let each = |tile: &Tile<'_>, with: &mut dyn FnMut(i64)| {
        Nest::in_order([tile]).for_each_run(&mut |run| {
            let Run {
                at: [at],
                steps: [step],
                count,
            } = run;
            for number in 0..count as isize {
                let place = at.wrapping_offset(step * number).cast::<T>();
                // SAFETY: by the promises made for the tile; a run stays inside it.
                with(i64::cast_from_element(unsafe { place.read() }));
            }
        });
    };
    match names {
        Names::Coordinates => each(through, &mut |index| add(index, index.saturating_add(1))),
        Names::Offsets => {
            let mut last = None;
            each(through, &mut |offset| {
                if let Some(first) = last.replace(offset) {
                    add(first, offset);
                }
            });
        }
        Names::Ranges => {
            let mut first = None;
            each(through, &mut |bound| match first.take() {
                None => first = Some(bound),
                Some(first) => add(first, bound),
            });
        }
    }
    found.unwrap_or((0, 0))
}

/// From an element to an index.
trait FromElement {
    fn cast_from_element<T: Element>(element: T) -> Self;
}

impl FromElement for i64 {
    fn cast_from_element<T: Element>(element: T) -> i64 {
        element.to_scalar().to::<i64>()
    }
}

/// An image that was found, and of what.
struct Known {
    /// Its runtime: in another one, stores of the same program can have other UIDs, and others the same.
    core: Weak<Core>,
    store: StoreUid,
    writes: u64,
    layout: Layout,
    tiles: usize,
    projection: Projection,
}

/// The images found last, so that a loop does not find the same again: those of stores that have not been written since.
#[derive(Default)]
pub(super) struct Images(Mutex<Vec<Known>>);

/// Images that are kept.
const KEPT: usize = 8;

impl Images {
    /// How an array follows through the values of `through`, which follows a task of this shape and tiling as `follows` says. Waits for the
    /// values where the image is not known.
    pub(super) fn find(
        &self,
        names: Names,
        through: &StoreView,
        follows: &Projection,
        (shape, tiling): (&Shape, Tiling),
        call: Site,
    ) -> Result<Projection, Error> {
        let core = &through.core;
        let tiles = core.cuts(shape, tiling).tiles();
        let writes = through.store.writes();
        let is_known = |known: &Known| {
            std::ptr::eq(known.core.as_ptr(), Arc::as_ptr(core))
                && known.store == through.store.uid
                && known.writes == writes
                && known.layout == through.layout
                && known.tiles == tiles
                && !through.store.is_shared()
        };
        if let Some(known) = self.known().iter().find(|known| is_known(known)) {
            return Ok(known.projection.clone());
        }
        let rows = Shape::new(&[tiles, 2]).unwrap_or(Shape::SCALAR);
        let rows = StoreView::unwritten(core, DType::I64, rows, call)?;
        let operands = [through.operand(), rows.operand()].into_iter().collect();
        let body = find_image(names, follows.clone(), tiling);
        core.submit(Request::new(call, body, *shape, operands))?;
        let found: Vec<i64> = rows.read(call)?;
        let bounds = found.chunks_exact(2).map(|row| {
            let index = |bound: i64| usize::try_from(bound).unwrap_or(0);
            (index(row[0]), index(row[1]))
        });
        let along = Along::Image(bounds.collect());
        let projection = Projection::of_axes([along], Rest::Whole);
        let mut known = self.known();
        if known.len() == KEPT {
            known.remove(0);
        }
        known.push(Known {
            core: Arc::downgrade(core),
            store: through.store.uid,
            writes,
            layout: through.layout,
            tiles,
            projection: projection.clone(),
        });
        Ok(projection)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Vec<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find_image(names: Names, follows: Projection, tiling: Tiling) -> Body {
    let operands = vec![
        Declared::read(follows),
        Declared::write(Projection::of_tiles(false)),
    ];
    let descriptor = Descriptor::new("image", operands, FindImage { names });
    Handle::shared(Arc::new(descriptor.tiled(tiling)))
}
