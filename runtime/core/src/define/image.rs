//! Images: parts of an array that tiles get, given by the values of another array.

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

/// Meaning of the values that name a tile's indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Names {
    /// Pairs along the last axis: the first index of a range, and one past its last.
    Ranges,
    /// Starts of ranges. The range of an index ends at the start of the next one. There is one more
    /// value than indices, so tiles need a halo of one above.
    Offsets,
    /// Indices.
    Coordinates,
}

/// Indices that a tile accesses, given those that its values name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All from the lowest to the highest named index.
    Bounds,
    /// The named indices. The elements between them are undefined.
    Exact,
}

/// Key of an image: the values belong to an array that follows a task of this shape and tiling by
/// this projection.
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
pub(super) struct NamedIndex {
    pub(super) place: Vec<usize>,
    pub(super) value: i64,
}

/// An image that was found.
#[derive(Clone)]
pub(super) struct ImageBounds {
    pub(super) projection: Projection,
    /// The lowest named index and the element that names it; `None` if no index is named.
    lowest: Option<(i64, NamedIndex)>,
    /// One past the highest named index, and the element that names it.
    highest: Option<(i64, NamedIndex)>,
}

impl ImageBounds {
    /// Returns the element that names an index outside of an axis of this length, if any.
    pub(super) fn beyond(&self, length: usize) -> Option<&NamedIndex> {
        let below = self.lowest.as_ref().filter(|(low, _)| *low < 0);
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let above = || self.highest.as_ref().filter(|(high, _)| *high > length);
        below.or_else(above).map(|(_, named)| named)
    }
}

/// A known image, and its key.
struct CachedImage {
    /// The runtime. In another one, stores of the same program can have other UIDs, and other
    /// stores the same UIDs.
    core: Weak<Core>,
    store: StoreUid,
    writes: u64,
    layout: Layout,
    tiles: usize,
    through: Through,
    found: ImageBounds,
}

/// The latest images, so that a loop does not find the same image again. An image is valid while
/// its store is not written.
#[derive(Default)]
pub(super) struct Images(Mutex<Vec<CachedImage>>);

/// Maximum number of images to keep.
const KEPT: usize = 8;
/// Maximum size of the kept images in bytes. The last one is kept even if it alone is larger.
const KEPT_BYTES: usize = 64 << 20;

/// Adds an image. The oldest ones are removed if there are too many, or they take too many bytes.
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
    /// Returns the projection of an array through the values of `view`. Waits for the values if the
    /// image is not known.
    pub(super) fn find(&self, view: &StoreView, through: &Through) -> Result<ImageBounds, Error> {
        let core = &view.core;
        let cuts = core.cuts(&through.shape, through.tiling);
        let tiles = cuts.tiles();
        let writes = view.store.writes();
        let is_known = |known: &CachedImage| {
            std::ptr::eq(known.core.as_ptr(), Arc::as_ptr(core))
                && known.store == view.store.uid
                && known.writes == writes
                && known.layout == view.layout
                && known.tiles == tiles
                && known.through == *through
                && !view.store.is_shared()
        };
        if let Some(known) = self.lock().iter().find(|known| is_known(known)) {
            return Ok(known.found.clone());
        }
        let runs = match through.extent {
            Extent::Exact => through.runs(view, tiles)?,
            Extent::Bounds => through.bounds(view, tiles)?,
        };
        let found = through.combine(view.shape(), &runs, |tile| cuts.tile(tile));
        let mut known = self.lock();
        known.retain(|known| known.core.strong_count() > 0);
        let last = CachedImage {
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

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<CachedImage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Through {
    /// Finds the bounds of each tile.
    fn bounds(&self, view: &StoreView, tiles: usize) -> Result<Vec<BoundedRuns>, Error> {
        let core = &view.core;
        let rows = Shape::new(&[tiles, WORDS]).unwrap_or(Shape::SCALAR);
        let rows = StoreView::unwritten(core, DType::I64, rows)?;
        let operands = [view.operand(), rows.operand()].into_iter().collect();
        let body = find::bounds(self);
        core.submit(Request::new(body, self.shape, operands))?;
        let words: Vec<i64> = rows.read()?;
        let rows = words.chunks_exact(WORDS).filter_map(|row| match row {
            &[low, high, low_at, high_at] => Some(BoundedRuns {
                runs: Vec::from_iter((low < high).then_some((low, high))),
                ends: (low_at, high_at),
            }),
            _ => None,
        });
        Ok(rows.collect())
    }

    /// Finds the runs of indices of each tile.
    fn runs(&self, view: &StoreView, tiles: usize) -> Result<Vec<BoundedRuns>, Error> {
        let core = &view.core;
        let counts = Shape::new(&[tiles]).unwrap_or(Shape::SCALAR);
        let counts = StoreView::unwritten(core, DType::I64, counts)?;
        let operands = [view.operand(), counts.operand()].into_iter().collect();
        let collector = Arc::new(Collector::new(DType::I64, tiles));
        let body = find::runs(self, collector.clone());
        core.submit(Request::new(body, self.shape, operands))?;
        let cut = (self.shape, self.tiling);
        let found = unbound::result(&collector, &counts, cut)?;
        let words: Vec<i64> = found.read()?;
        let mut words = words.into_iter();
        Ok(std::iter::from_fn(|| BoundedRuns::read(&mut words)).collect())
    }

    /// Combines the runs that all tiles name, by the values of an array of shape `own`, to an
    /// image.
    fn combine(
        &self,
        own: &Shape,
        tiles: &[BoundedRuns],
        cut: impl Fn(usize) -> Cut,
    ) -> ImageBounds {
        let index = |bound: i64| usize::try_from(bound).unwrap_or(0);
        let (mut lowest, mut highest) = (None, None);
        for (tile, BoundedRuns { runs, ends }) in tiles.iter().enumerate() {
            let (Some((low, _)), Some((_, high))) = (runs.first(), runs.last()) else {
                continue;
            };
            let named = |at: i64, value: i64| {
                let place = self.place(own, &cut(tile), index(at));
                NamedIndex { place, value }
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
        ImageBounds {
            projection: Projection::of_axes([Along::Image(Arc::new(image))], Rest::Whole),
            lowest,
            highest,
        }
    }

    /// Returns the index in the array of an element of a tile's part.
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

    /// Returns the images that are kept, after images of these sizes in MiB were found one after
    /// the other.
    fn kept_after(found: &[usize]) -> Vec<usize> {
        let mut kept = Vec::new();
        for one in found {
            keep(&mut kept, *one, |mib| mib << 20);
        }
        kept
    }

    #[test]
    fn image_cache_is_limited_by_count_and_bytes() {
        assert_eq!(
            kept_after(&[1, 2, 3, 4, 5, 6, 7, 8]),
            [1, 2, 3, 4, 5, 6, 7, 8]
        );
        assert_eq!(
            kept_after(&[1, 2, 3, 4, 5, 6, 7, 8, 9]),
            [2, 3, 4, 5, 6, 7, 8, 9]
        );
        assert_eq!(kept_after(&[16, 16, 16, 16]), [16, 16, 16, 16]);
        assert_eq!(kept_after(&[16, 16, 16, 16, 1]), [16, 16, 16, 1]);
        // An older image does not stay if a newer one is removed.
        assert_eq!(kept_after(&[1, 40, 30]), [30]);
        assert_eq!(kept_after(&[1, 40, 24]), [40, 24]);
        // The last one always stays.
        assert_eq!(kept_after(&[1, 2, 100]), [100]);
        assert_eq!(kept_after(&[1, 2, 100, 3]), [3]);
    }
}
