//! Images: which part of an array a tile gets, found in the values of another array.

#![allow(unsafe_code, reason = "reads elements by their addresses")]

use std::sync::{Arc, Mutex, PoisonError, Weak};

use smallvec::SmallVec;
use weft_elements::nest::Nest;
use weft_elements::{Handle, Run, Tile};
use weft_geometry::{Along, Cut, Projection, Rest, Tiling};
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

/// Finds the lowest and the highest index that a tile names, and what names them.
#[derive(Debug, Hash)]
struct FindImage {
    names: Names,
}

/// What is found in the part of a tile, as words of the tile's row: the lowest index and one past the highest, both 0 where none is named,
/// and which elements of the part name them, counted row-major.
const WORDS: usize = 4;

impl Kernels for FindImage {
    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [through, out] = task.expect();
        let found =
            with_integer!(through.dtype(), T => bounds::<T>(self.names, through), else [0; WORDS]);
        // A row, or of one tile without the axis of rows.
        for (at, value) in found.into_iter().enumerate() {
            let step = out.byte_stride(out.layout().rank() - 1);
            let place = out.first().wrapping_offset(step * at as isize);
            // SAFETY: the row has so many elements of `i64`.
            unsafe { place.cast::<i64>().write(value) };
        }
        Ok(())
    }
}

/// The words of a tile.
fn bounds<T: Element>(names: Names, through: &Tile<'_>) -> [i64; WORDS] {
    let mut found: Option<[i64; WORDS]> = None;
    // Ranges with the numbers of the elements that hold their first index and their end.
    let mut add = |(first, first_at): (i64, i64), (end, end_at): (i64, i64)| {
        if first >= end {
            return;
        }
        let [low, high, low_at, high_at] = found.get_or_insert([first, end, first_at, end_at]);
        if first < *low {
            (*low, *low_at) = (first, first_at);
        }
        if end > *high {
            (*high, *high_at) = (end, end_at);
        }
    };
    let each = |tile: &Tile<'_>, with: &mut dyn FnMut((i64, i64))| {
        let mut element = 0;
        Nest::in_order([tile]).for_each_run(&mut |run| {
            let Run {
                at: [at],
                steps: [step],
                count,
            } = run;
            for number in 0..count as isize {
                let place = at.wrapping_offset(step * number).cast::<T>();
                // SAFETY: by the promises made for the tile; a run stays inside it.
                with((i64::cast_from_element(unsafe { place.read() }), element));
                element += 1;
            }
        });
    };
    match names {
        Names::Coordinates => each(through, &mut |(index, at)| {
            add((index, at), (index.saturating_add(1), at));
        }),
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
    found.unwrap_or_default()
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

/// How an image is asked for: the values are those of an array that follows a task of this shape and tiling in this way.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Through {
    pub(super) names: Names,
    pub(super) follows: Projection,
    pub(super) shape: Shape,
    pub(super) tiling: Tiling,
}

/// An element of the values, and the index that it names.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) place: Vec<usize>,
    pub(super) value: i64,
}

/// An image.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) projection: Projection,
    /// The lowest index of all, and what holds it; `None` where none is named.
    lowest: Option<(i64, Named)>,
    /// One past the highest index of all, and what holds it.
    highest: Option<(i64, Named)>,
}

impl Found {
    /// What names an index that an axis of this length does not have.
    pub(super) fn beyond(&self, length: usize) -> Option<&Named> {
        let below = self.lowest.as_ref().filter(|(low, _)| *low < 0);
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let above = || self.highest.as_ref().filter(|(high, _)| *high > length);
        below.or_else(above).map(|(_, named)| named)
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
    through: Through,
    found: Found,
}

/// The images found last, so that a loop does not find the same again: those of stores that have not been written since.
#[derive(Default)]
pub(super) struct Images(Mutex<Vec<Known>>);

/// Images that are kept.
const KEPT: usize = 8;

impl Images {
    /// How an array follows through the values of `view`. Waits for the values where the image is not known.
    pub(super) fn find(
        &self,
        view: &StoreView,
        through: &Through,
        call: Site,
    ) -> Result<Found, Error> {
        let core = &view.core;
        let cuts = core.cuts(&through.shape, through.tiling);
        let tiles = cuts.tiles();
        let writes = view.store.writes();
        let is_known = |known: &Known| {
            std::ptr::eq(known.core.as_ptr(), Arc::as_ptr(core))
                && known.store == view.store.uid
                && known.writes == writes
                && known.layout == view.layout
                && known.tiles == tiles
                && known.through == *through
                && !view.store.is_shared()
        };
        if let Some(known) = self.known().iter().find(|known| is_known(known)) {
            return Ok(known.found.clone());
        }
        let rows = Shape::new(&[tiles, WORDS]).unwrap_or(Shape::SCALAR);
        let rows = StoreView::unwritten(core, DType::I64, rows, call)?;
        let operands = [view.operand(), rows.operand()].into_iter().collect();
        let body = find_image(through);
        core.submit(Request::new(call, body, through.shape, operands))?;
        let words: Vec<i64> = rows.read(call)?;
        let found = through.found(view.shape(), &words, |tile| cuts.tile(tile));
        let mut known = self.known();
        if known.len() == KEPT {
            known.remove(0);
        }
        known.push(Known {
            core: Arc::downgrade(core),
            store: view.store.uid,
            writes,
            layout: view.layout,
            tiles,
            through: through.clone(),
            found: found.clone(),
        });
        Ok(found)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Vec<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Through {
    /// The image, from the words of all tiles of an array of this shape.
    fn found(&self, own: &Shape, words: &[i64], cut: impl Fn(usize) -> Cut) -> Found {
        let (mut tiles, mut lowest, mut highest) = (Vec::new(), None, None);
        for (tile, row) in words.chunks_exact(WORDS).enumerate() {
            let &[low, high, low_at, high_at] = row else {
                continue;
            };
            let index = |bound: i64| usize::try_from(bound).unwrap_or(0);
            tiles.push((index(low), index(high)));
            if low == high {
                continue;
            }
            let named = |at: i64, value: i64| {
                let place = self.place(own, &cut(tile), index(at));
                Named { place, value }
            };
            if lowest.as_ref().is_none_or(|(known, _)| low < *known) {
                lowest = Some((low, named(low_at, low)));
            }
            if highest.as_ref().is_none_or(|(known, _)| high > *known) {
                // A coordinate names the index itself.
                let value = match self.names {
                    Names::Coordinates => high - 1,
                    Names::Ranges | Names::Offsets => high,
                };
                highest = Some((high, named(high_at, value)));
            }
        }
        Found {
            projection: Projection::of_axes([Along::Image(tiles.into())], Rest::Whole),
            lowest,
            highest,
        }
    }

    /// The index in the array of an element of a tile's part.
    fn place(&self, own: &Shape, cut: &Cut, element: usize) -> Vec<usize> {
        let bounds = self.follows.bounds(own.dims(), &self.shape, cut);
        let extents: SmallVec<[usize; 4]> = bounds.iter().map(|(first, end)| end - first).collect();
        let part = Shape::new(&extents).unwrap_or(Shape::SCALAR);
        let index = part.unravel(element);
        let axes = bounds.iter().zip(index);
        axes.map(|((first, _), at)| first + at).collect()
    }
}

fn find_image(through: &Through) -> Body {
    let operands = vec![
        Declared::read(through.follows.clone()),
        Declared::write(Projection::of_tiles(false)),
    ];
    let find = FindImage {
        names: through.names,
    };
    let descriptor = Descriptor::new("image", operands, find);
    Handle::shared(Arc::new(descriptor.tiled(through.tiling)))
}
