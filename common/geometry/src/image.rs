//! Images: the indices along one axis that each tile touches, found in the values of another array.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::FxHasher;

/// The first index of a run, and one past the last.
pub type IndexRun = (usize, usize);

/// The runs of indices along an axis that each tile touches. Tiles beyond the last one touch
/// nothing.
#[derive(Clone, Debug)]
pub struct Image {
    /// The runs of all tiles, one tile after the other. The runs of a tile are sorted, not empty,
    /// and separated by gaps.
    runs: Vec<IndexRun>,
    /// The end of each tile's runs in `runs`.
    ends: Vec<usize>,
    /// Whether a tile has several runs.
    has_gaps: bool,
    /// The hash, computed once, since operations are compared more often than images are found.
    hash: u64,
}

impl PartialEq for Image {
    fn eq(&self, other: &Image) -> bool {
        self.hash == other.hash && self.ends == other.ends && self.runs == other.runs
    }
}

impl Eq for Image {}

impl Hash for Image {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Image {
    /// Creates an image from the runs of each tile, in any order, which may overlap or be empty.
    pub fn new<T: IntoIterator<Item = IndexRun>>(tiles: impl IntoIterator<Item = T>) -> Image {
        let (mut runs, mut ends, mut has_gaps) = (Vec::new(), Vec::new(), false);
        for tile in tiles {
            let own = runs.len();
            runs.extend(tile.into_iter().filter(|(first, end)| first < end));
            let count = join(&mut runs[own..]);
            runs.truncate(own + count);
            ends.push(runs.len());
            has_gaps |= count > 1;
        }
        let mut hasher = FxHasher::default();
        (&runs, &ends).hash(&mut hasher);
        Image {
            runs,
            ends,
            has_gaps,
            hash: hasher.finish(),
        }
    }

    /// Creates an image of one run for each tile.
    pub fn of_bounds(tiles: impl IntoIterator<Item = IndexRun>) -> Image {
        Image::new(tiles.into_iter().map(|run| [run]))
    }

    /// Returns roughly the bytes of memory that the image takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.runs[..]) + size_of_val(&self.ends[..])
    }

    /// Returns the number of tiles.
    pub fn tiles(&self) -> usize {
        self.ends.len()
    }

    /// Returns the runs of a tile, sorted and separated by gaps.
    pub fn of_tile(&self, tile: usize) -> &[IndexRun] {
        let Some(end) = self.ends.get(tile) else {
            return &[];
        };
        let first = tile.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.runs[first..*end]
    }

    /// Returns the number of indices that a tile touches.
    pub fn indices_of(&self, tile: usize) -> usize {
        indices(self.of_tile(tile))
    }

    /// Returns the first index that some tiles touch, and one past the last.
    pub fn bounds(&self, tiles: Range<usize>) -> (usize, usize) {
        let of = tiles.filter_map(|tile| {
            let runs = self.of_tile(tile);
            Some((runs.first()?.0, runs.last()?.1))
        });
        of.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
            .unwrap_or_default()
    }

    /// Whether one of these tiles touches several runs.
    pub fn has_gaps(&self, tiles: Range<usize>) -> bool {
        let end = tiles.end.min(self.tiles());
        let mut tiles = tiles.start..end;
        self.has_gaps && tiles.any(|tile| self.of_tile(tile).len() > 1)
    }

    /// Returns the image of tiles that each touch what a group of these tiles touches.
    pub fn regrouped(&self, groups: impl IntoIterator<Item = Range<usize>>) -> Image {
        let groups = groups.into_iter();
        match self.has_gaps {
            true => Image::new(groups.map(|group| self.runs(group).into_owned())),
            false => Image::of_bounds(groups.map(|group| self.bounds(group))),
        }
    }

    /// Splits the range from the first to the last index that the tiles `all` touch into `tiles`
    /// equal parts, and returns their image.
    pub fn evenly(&self, all: Range<usize>, tiles: usize) -> Image {
        let (first, end) = self.bounds(all);
        let place = |tile: usize| first + (end - first) * tile / tiles.max(1);
        Image::of_bounds((0..tiles).map(|tile| (place(tile), place(tile + 1))))
    }

    /// Returns the runs that some tiles touch together.
    pub fn runs(&self, tiles: Range<usize>) -> Cow<'_, [IndexRun]> {
        if tiles.len() == 1 {
            return Cow::Borrowed(self.of_tile(tiles.start));
        }
        let end = tiles.end.min(self.tiles());
        let all = (tiles.start..end).flat_map(|tile| self.of_tile(tile));
        let mut all: Vec<IndexRun> = all.copied().collect();
        let count = join(&mut all);
        all.truncate(count);
        Cow::Owned(all)
    }
}

/// Returns the number of indices of disjoint runs.
pub(crate) fn indices(runs: &[IndexRun]) -> usize {
    runs.iter().map(|(first, end)| end - first).sum()
}

/// Sorts runs and joins those that touch. Returns the number of runs that are left.
fn join(runs: &mut [IndexRun]) -> usize {
    if !runs.is_sorted() {
        runs.sort_unstable();
    }
    let mut count = 0_usize;
    for at in 0..runs.len() {
        let (first, end) = runs[at];
        match count.checked_sub(1).map(|last| &mut runs[last]) {
            Some(last) if first <= last.1 => last.1 = last.1.max(end),
            _ => {
                runs[count] = (first, end);
                count += 1;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_and_merges_runs_of_each_tile() {
        let image = Image::new([
            vec![(7, 9), (0, 2), (2, 3), (8, 12), (5, 5)],
            vec![],
            vec![(4, 6)],
        ]);
        assert_eq!(image.of_tile(0), [(0, 3), (7, 12)]);
        assert_eq!(image.of_tile(1), []);
        assert_eq!(image.of_tile(2), [(4, 6)]);
        assert_eq!(image.of_tile(3), []);
        assert_eq!(image.bounds(0..3), (0, 12));
        assert_eq!(image.bounds(1..2), (0, 0));
        assert_eq!(image.bounds(2..9), (4, 6));
        assert_eq!(*image.runs(0..3), [(0, 3), (4, 6), (7, 12)]);
        assert!(image.has_gaps(0..1) && !image.has_gaps(1..3));
    }

    #[test]
    fn regroups_and_splits_tiles() {
        let bounds = Image::of_bounds([(0, 4), (9, 12), (2, 3)]);
        assert_eq!(
            bounds.regrouped([0..2, 2..3]),
            Image::of_bounds([(0, 12), (2, 3)])
        );
        let gaps = Image::new([vec![(0, 2), (6, 7)], vec![(1, 4)], vec![(9, 11)]]);
        let two = gaps.regrouped([0..2, 1..3]);
        assert_eq!(two.of_tile(0), [(0, 4), (6, 7)]);
        assert_eq!(two.of_tile(1), [(1, 4), (9, 11)]);
        let shared = Image::of_bounds([(2, 4), (4, 7), (7, 11)]);
        assert_eq!(gaps.evenly(0..2, 2), Image::of_bounds([(0, 3), (3, 7)]));
        assert_eq!(gaps.evenly(2..3, 1), Image::of_bounds([(9, 11)]));
        assert_eq!(
            shared.evenly(0..3, 3),
            Image::of_bounds([(2, 5), (5, 8), (8, 11)])
        );
    }

    #[test]
    fn images_compare_by_touched_elements() {
        let one = Image::new([vec![(0, 2), (2, 4)], vec![(9, 9)]]);
        let other = Image::of_bounds([(0, 4), (0, 0)]);
        assert_eq!(one, other);
        assert!(!one.has_gaps(0..2));
        assert_ne!(one, Image::of_bounds([(0, 4)]));
    }
}
