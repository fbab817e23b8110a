//! Images: which part of an array a tile gets, found in the values of another array.

mod find;

use std::sync::{Arc, Mutex, PoisonError, Weak};

use smallvec::SmallVec;
use weft_geometry::{Along, Cut, Image, Projection, Rest, Tiling};
use weft_trace::id::StoreUid;

use self::find::{BoundedRuns, WORDS};
use super::argument::StoreView;
use super::unbound::{self, Collector};
use crate::dtype::DType;
use crate::error::Error;
use crate::operation::Request;
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

/// Which indices a tile touches of those that its values name, and of those between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All from the lowest to the highest.
    Bounds,
    /// Those that are named. What a tile's part has between them is undefined.
    Exact,
}

/// How an image is asked for: the values are those of an array that follows a task of this shape and tiling in this way.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Through {
    pub(super) names: Names,
    pub(super) extent: Extent,
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
/// Bytes that they take at most, unless the last one alone takes more.
const KEPT_BYTES: usize = 64 << 20;

/// Adds the last one to what is kept. The oldest go where there are too many, or they take too many bytes.
fn keep<T>(kept: &mut Vec<T>, last: T, bytes: impl Fn(&T) -> usize) {
    let mut room = KEPT_BYTES.saturating_sub(bytes(&last));
    let newest = kept.iter().rev().take(KEPT - 1);
    let fit = newest.map_while(|one| {
        room = room.checked_sub(bytes(one))?;
        Some(())
    });
    let stay = fit.count();
    kept.drain(..kept.len() - stay);
    kept.push(last);
}

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
        let runs = match through.extent {
            Extent::Exact => through.runs(view, tiles, call)?,
            Extent::Bounds => through.bounds(view, tiles, call)?,
        };
        let found = through.found(view.shape(), &runs, |tile| cuts.tile(tile));
        let mut known = self.known();
        known.retain(|known| known.core.strong_count() > 0);
        let last = Known {
            core: Arc::downgrade(core),
            store: view.store.uid,
            writes,
            layout: view.layout,
            tiles,
            through: through.clone(),
            found: found.clone(),
        };
        keep(&mut known, last, |one| one.found.projection.image_bytes());
        Ok(found)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Vec<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Through {
    /// The bounds of each tile.
    fn bounds(
        &self,
        view: &StoreView,
        tiles: usize,
        call: Site,
    ) -> Result<Vec<BoundedRuns>, Error> {
        let core = &view.core;
        let rows = Shape::new(&[tiles, WORDS]).unwrap_or(Shape::SCALAR);
        let rows = StoreView::unwritten(core, DType::I64, rows, call)?;
        let operands = [view.operand(), rows.operand()].into_iter().collect();
        let body = find::bounds(self);
        core.submit(Request::new(call, body, self.shape, operands))?;
        let words: Vec<i64> = rows.read(call)?;
        let rows = words.chunks_exact(WORDS).filter_map(|row| match row {
            &[low, high, low_at, high_at] => Some(BoundedRuns {
                runs: Vec::from_iter((low < high).then_some((low, high))),
                ends: (low_at, high_at),
            }),
            _ => None,
        });
        Ok(rows.collect())
    }

    /// The indices of each tile.
    fn runs(&self, view: &StoreView, tiles: usize, call: Site) -> Result<Vec<BoundedRuns>, Error> {
        let core = &view.core;
        let counts = Shape::new(&[tiles]).unwrap_or(Shape::SCALAR);
        let counts = StoreView::unwritten(core, DType::I64, counts, call)?;
        let operands = [view.operand(), counts.operand()].into_iter().collect();
        let collector = Arc::new(Collector::new(DType::I64, tiles));
        let body = find::runs(self, collector.clone());
        core.submit(Request::new(call, body, self.shape, operands))?;
        let cut = (self.shape, self.tiling);
        let found = unbound::result(&collector, &counts, cut, call)?;
        let words: Vec<i64> = found.read(call)?;
        let mut words = words.into_iter();
        Ok(std::iter::from_fn(|| BoundedRuns::read(&mut words)).collect())
    }

    /// The image, from what all tiles name of an array of this shape.
    fn found(&self, own: &Shape, tiles: &[BoundedRuns], cut: impl Fn(usize) -> Cut) -> Found {
        let index = |bound: i64| usize::try_from(bound).unwrap_or(0);
        let (mut lowest, mut highest) = (None, None);
        for (tile, BoundedRuns { runs, ends }) in tiles.iter().enumerate() {
            let (Some((low, _)), Some((_, high))) = (runs.first(), runs.last()) else {
                continue;
            };
            let named = |at: i64, value: i64| {
                let place = self.place(own, &cut(tile), index(at));
                Named { place, value }
            };
            if lowest.as_ref().is_none_or(|(known, _)| low < known) {
                lowest = Some((*low, named(ends.0, *low)));
            }
            if highest.as_ref().is_none_or(|(known, _)| high > known) {
                // A coordinate names the index itself.
                let value = match self.names {
                    Names::Coordinates => high - 1,
                    Names::Ranges | Names::Offsets => *high,
                };
                highest = Some((*high, named(ends.1, value)));
            }
        }
        let each = |(first, end): &(i64, i64)| (index(*first), index(*end));
        let image = Image::new(tiles.iter().map(|tile| tile.runs.iter().map(each)));
        Found {
            projection: Projection::of_axes([Along::Image(Arc::new(image))], Rest::Whole),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept of images of so many MiB, found one after the other.
    fn kept(found: &[usize]) -> Vec<usize> {
        let mut kept = Vec::new();
        for one in found {
            keep(&mut kept, *one, |mib| mib << 20);
        }
        kept
    }

    #[test]
    fn images_are_kept_by_number_and_by_bytes() {
        assert_eq!(kept(&[1, 2, 3, 4, 5, 6, 7, 8]), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(kept(&[1, 2, 3, 4, 5, 6, 7, 8, 9]), [2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(kept(&[16, 16, 16, 16]), [16, 16, 16, 16]);
        assert_eq!(kept(&[16, 16, 16, 16, 1]), [16, 16, 16, 1]);
        // No older one stays where a newer one goes.
        assert_eq!(kept(&[1, 40, 30]), [30]);
        assert_eq!(kept(&[1, 40, 24]), [40, 24]);
        // The last one always stays.
        assert_eq!(kept(&[1, 2, 100]), [100]);
        assert_eq!(kept(&[1, 2, 100, 3]), [3]);
    }
}
